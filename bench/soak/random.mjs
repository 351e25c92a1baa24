/**
 * Random numbers that depend on the seeds alone (splitmix32).
 *
 * @param {...(number | string)} seeds
 */
export function random(...seeds) {
  let state = 0x9e3779b9
  for (const character of seeds.join('/')) state = Math.imul(state ^ character.charCodeAt(0), 0x85ebca6b) ^ (state >>> 15)

  /** From 0 to 1, 1 excluded. */
  function next() {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number from `low` to `high`, both included. */
    whole: (/** @type {number} */ low, /** @type {number} */ high) => low + Math.floor(next() * (high - low + 1)),
    /** One of them, the more weight the likelier. @template T @param {[weight: number, value: T][]} choices @returns {T} */
    choose(choices) {
      let rest = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of choices) {
        rest -= weight
        if (rest < 0) return value
      }
      return /** @type {[number, T]} */ (choices.at(-1))[1]
    },
  }
}
