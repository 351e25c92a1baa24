/** Host names, and a fixed walk through them that no cache foresees. */

/** @param {number} count */
export const keysOf = (count) => Array.from({ length: count }, (_, i) => `host-${i}.example`)

/** @param {number} count @returns {Uint32Array} each place once, in an order that looks like chance and is always the same */
export function walk(count) {
  const order = new Uint32Array(count)
  let seed = 12345
  for (let i = 0; i < count; i++) {
    order[i] = i
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const other = seed % (i + 1)
    order[i] = order[other]
    order[other] = i
  }
  return order
}
