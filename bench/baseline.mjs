/** What everything is compared with: a bare call, the thinnest wrapper there can be, a clock read, a rejection. */
import { keep } from './measure.mjs'

export const ok = async () => 1
export const error = new Error('as measured')
export const bad = async () => {
  throw error
}

const onValue = (value) => value
const onError = (reason) => {
  throw reason
}

export async function bare(times) {
  for (let i = 0; i < times; i++) await ok()
}

export async function thinnest(times) {
  for (let i = 0; i < times; i++) await ok().then(onValue, onError)
}

export async function bareFailure(times) {
  for (let i = 0; i < times; i++) {
    try {
      await bad()
    } catch (reason) {
      keep(reason)
    }
  }
}

export async function thinnestFailure(times) {
  for (let i = 0; i < times; i++) {
    try {
      await bad().then(onValue, onError)
    } catch (reason) {
      keep(reason)
    }
  }
}

export async function rejection(times) {
  for (let i = 0; i < times; i++) {
    try {
      await Promise.reject(error)
    } catch (reason) {
      keep(reason)
    }
  }
}

export function clockRead(times) {
  let sum = 0
  for (let i = 0; i < times; i++) sum += performance.now()
  keep(sum)
}

/** The thinnest wrapper per key: a map, and nothing done with what it holds. */
export function thinnestPerKey(keys, order) {
  const map = new Map()
  for (const key of keys) map.set(key, { key })
  let place = 0
  return async (times) => {
    for (let i = 0; i < times; i++) {
      keep(map.get(keys[order[place]]))
      place = (place + 1) % order.length
      await ok().then(onValue, onError)
    }
  }
}
