/**
 * The libraries compared, each in its own words.
 *
 * An adapter has:
 * - `name`, `packageName`, and `smallest`: the least that an application would import;
 * - `costs`: per kind of trip that the library offers (`consecutive`, `count` for a window of 100 calls, `time` for a window of 10 s) its leanest
 *   configuration (`config`, in words), `make(setting)` and `call(breaker, fn)`. A setting is `tripping` (one failure opens, for long) or
 *   `lasting` (failures are counted and never open). `quiet` calls where a refusal can be had without an exception, after `beQuiet` if it must be asked for;
 *   `perKey(count)`, where the library has a place for many by key, and `alone`, if it is worth knowing what one costs outside of it;
 * - `options(spec)` and `subject(options, spec)`: a breaker to try the traps on. A spec says `failures` (opens at so many in a row, or the nearest
 *   there is: half of that many calls) or `rate` (a share of the calls, in a window of `size` calls or of `windowMs`: the one its `kind` names, if the library has both), and
 *   `openFor`, `callTimeout` (none: as good as never), `ignores`, `onOpen`, `seesHangsAfter`. What a subject lacks, its library does not offer.
 */

/** As good as never, and still what a timer can hold. */
export const NEVER = 2 ** 31 - 1

export const peerNames = ['opossum', 'cockatiel', 'mollitia', 'brakes', 'bennadel', 'circuit-breaker-js', 'levee', 'disyuntor']

export const names = ['lazybreaker', ...peerNames]

/** @param {string} name one of {@link names} */
export async function load(name) {
  return (await import(`./${name}.mjs`)).default
}
