import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runTimeline, timelinesOf } from './support/timeline.js'

const page = readFileSync(new URL('scenarios.md', import.meta.url), 'utf8')
const original = new URL('../../shared/corpus/scenarios.md', import.meta.url)
const timelines = timelinesOf(page)

describe('scenarios.md: how real circuit breakers went wrong', () => {
  it.each(timelines)('$title', ({ text }) => {
    runTimeline(text)
    expect.hasAssertions()
  })

  it('has every timeline that it says it has', () => {
    expect(timelines).toHaveLength(page.split('```timeline\n').length - 1)
    expect(new Set(timelines.map(({ title }) => title)).size).toBe(timelines.length)
  })

  it.runIf(existsSync(original))('has the same timelines as the collection it was copied from', () => {
    expect(timelines).toEqual(timelinesOf(readFileSync(original, 'utf8')))
  })
})

describe('the cases in prose', () => {
  // Those of HTTP and of metrics are the business of the adapters.
  const texts = ['scenarios/', 'adapters/'].flatMap((name) => {
    const folder = new URL(name, import.meta.url)
    return readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
  })
  const cases = page.split(/^### /m).filter((section) => section.includes('```steps\n'))

  it.each(cases.map((section) => section.split(' ', 1)[0]!))('%s has a test that names it in its title', (number) => {
    const title = new RegExp(`\\b(?:it|describe)(?:\\.\\w+\\(.*\\))?\\(\\s*(['"\`]).*\\b${number}\\b.*\\1`)
    expect(texts.some((text) => title.test(text))).toBe(true)
  })
})

describe('the driver of the timelines', () => {
  const ordinary = 'opts trip=consecutive(1) openFor=1000 recovery=single'

  it.each([
    ['an unknown option', 'opts trip=consecutive(1) openFor=1 recovery=single colour=red\nt=0 read => C'],
    ['an unknown trip', 'opts trip=moon(1) openFor=1 recovery=single\nt=0 read => C'],
    ['a slow rate that its trip cannot have', 'opts trip=consecutive(1) openFor=1 recovery=single slow=5 slowRate=1\nt=0 read => C'],
    ['an unknown recovery', 'opts trip=consecutive(1) openFor=1 recovery=none\nt=0 read => C'],
    ['an unknown operation', `${ordinary}\nt=0 dance => C`],
    ['an unknown expectation', `${ordinary}\nt=0 read => C mood=good`],
    ['a call that was never admitted', `${ordinary}\nt=0 ok A => C`],
    ['a timeline of no lines', ordinary],
  ])('refuses %s, and does not pass over it', (_, text) => {
    expect(() => runTimeline(text)).toThrow()
  })

  it.each([
    ['a wrong state', `${ordinary}\nt=0 call fail => C`],
    ['a wrong number', `${ordinary}\nt=0 call fail => O trips=2`],
    ['a wrong answer', `${ordinary}\nt=0 start A => reject`],
    ['a wrong answer among several', `${ordinary}\nt=0 call fail => O\nt=1000 start A B => run,run`],
    ['a call that is not said to be refused', `${ordinary}\nt=0 call fail => O\nt=1 start A => O`],
  ])('fails on %s', (_, text) => {
    expect(() => runTimeline(text)).toThrow()
  })
})
