import { describe, expect, it } from 'vitest'
import { cast } from '../bench/demo/cast.mjs'
import { picture } from '../bench/demo/picture.mjs'
import { openStage } from '../bench/demo/stage.mjs'
import { figures, tables } from '../bench/demo/table.mjs'
import { play, type Story } from '../bench/demo/traffic.mjs'
import * as library from '../src/index.js'

describe('the demo, played twice as fast', { timeout: 120_000 }, () => {
  const scale = 0.5
  // With fewer calls, more patience, and as much time as it takes, so that a busy machine is not taken for a failing host.
  const roles = cast(library, scale).map((role) => ({
    ...role,
    rate: 50,
    patience: role.control ? 2_000 : 100_000,
    options: role.fault === 'hangs' ? { ...role.options, slowCallDuration: 1_000 } : role.options,
  }))
  const isOver = (stories: Story[]) =>
    stories.every((story) => (story.role.fault === 'silent' ? story.hanging.length > 60 : story.role.fault === 'none' || figures(story).toRecover !== undefined))

  it('shows on real servers that each host is left alone while it fails, and found again', async () => {
    const stage = await openStage(roles)
    const heard: number[] = []
    const stories = await play({ library, roles, stage, duration: 60_000, eachSecond: (second) => heard.push(second), isOver })
    await stage.close()
    const [healthy, refuses, hangs, errors, watched, silent] = stories.map((story) => ({ ...figures(story), story }))

    expect(heard.length).toBeGreaterThan(4)
    expect(heard).toEqual(heard.map((_, i) => i + 1))
    expect(healthy!.ok).toBeGreaterThan(0)
    for (const host of [refuses!, hangs!, errors!]) {
      expect(host.toTrip, host.story.role.name).toBeGreaterThan(0)
      expect(host.toRecover, host.story.role.name).toBeGreaterThan(0)
      expect(host.refused, host.story.role.name).toBeGreaterThan(0)
      expect(host.failed, host.story.role.name).toBeLessThan(host.failedWithout!)
    }
    // Both never answer: one is seen to hang, the other is not before the callers' timeouts.
    expect(watched!.story.transitions[0]?.to).toBe('open')
    expect(silent!.story.transitions).toEqual([])
    expect(silent!.hanging).toBe(silent!.calls)
    expect(watched!.hanging).toBeLessThan(silent!.hanging / 2)

    const page = picture(stories, heard.length * 1_000)
    for (const { name, story } of roles) expect(page).toMatch(new RegExp(`>${name}</text>\\s*<text[^>]*>${story}</text>`))
    const table = tables(stories)
    for (const name of ['healthy', 'refuses', 'hangs', 'errors', 'slowCallDuration: 1_000', 'no slowCallDuration']) expect(table).toContain(`\n${name} `)
  })
})

describe('the figures of the demo', () => {
  const call = (at: number, outcome: 'ok' | 'failed' | 'refused') => ({ at, outcome })
  const [, refuses] = cast(library)
  const story: Story = {
    role: refuses!,
    calls: [call(0, 'ok'), call(4_100, 'failed'), call(4_200, 'refused'), call(9_500, 'ok')],
    control: [call(0, 'ok'), call(4_100, 'failed'), call(4_200, 'failed'), call(9_500, 'ok')],
    transitions: [
      { at: 4_150, from: 'closed', to: 'open', reason: 'consecutive-failures' },
      { at: 5_150, from: 'open', to: 'half-open', reason: 'timeout-over' },
      { at: 5_160, from: 'half-open', to: 'open', reason: 'probe-failed' },
      { at: 9_500, from: 'open', to: 'half-open', reason: 'timeout-over' },
      { at: 9_510, from: 'half-open', to: 'closed', reason: 'recovered' },
    ],
    outages: [
      { at: 4_000, up: false },
      { at: 9_000, up: true },
    ],
    hanging: [],
  }

  it('count from the moments at which the server went down and came back', () => {
    expect(figures(story)).toEqual({ calls: 4, ok: 2, failed: 1, refused: 1, hanging: 0, toTrip: 150, toRecover: 510, failedWithout: 2 })
  })

  it('say nothing of a recovery that did not come', () => {
    expect(figures({ ...story, transitions: story.transitions.slice(0, 3) })).toMatchObject({ toTrip: 150, toRecover: undefined })
  })

  it('make a page that needs nothing from elsewhere', () => {
    const page = picture([story], 20_000)
    expect(page).not.toMatch(/https?:|src=|href=|<script/)
    expect(page).not.toMatch(/NaN|undefined|Infinity/)
  })
})
