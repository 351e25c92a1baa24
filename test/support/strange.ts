import { runInNewContext } from 'node:vm'
import type { AbortSignalLike } from '../../src/index.js'

export const fault = (...errors: unknown[]): never => {
  throw errors.length === 0 ? new Error('do not touch') : errors[0]
}

/** An object of which every use throws. */
export const untouchable = (): object => new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, () => fault()])))
const traps = ['get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'defineProperty', 'isExtensible', 'deleteProperty']

export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

export function withGetters(...names: string[]): object {
  const object = {}
  for (const name of names) Object.defineProperty(object, name, { enumerable: true, get: () => fault() })
  return object
}

function cyclic(): Error {
  const error = new Error('it is its own cause')
  error.cause = { cause: error }
  return error
}

/** Things that somebody may throw, return or use as a key. */
export const strange: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  'the empty string': () => '',
  '-0': () => -0,
  NaN: () => NaN,
  'a BigInt': () => 10n,
  'a symbol': () => Symbol('strange'),
  'a function': () => () => fault(),
  'an object without a prototype': () => Object.create(null) as object,
  'a frozen error': () => Object.freeze(new Error('frozen')),
  'an error that is its own cause': cyclic,
  'an error with getters that throw': () =>
    Object.defineProperties(new Error('x'), Object.getOwnPropertyDescriptors(withGetters('name', 'message', 'code', 'cause', 'toJSON'))),
  'an error of another realm': () => runInNewContext('Object.assign(new TypeError("elsewhere"), { code: "ECONNRESET" })') as unknown,
  'an object that has no primitive': () => ({ [Symbol.toPrimitive]: () => fault(), toString: () => fault(), toJSON: () => fault() }),
  'an object whose name and code are nonsense': () => ({ name: 5, code: Symbol('code'), message: { toString: () => fault() }, cause: null }),
  'a refusal that is none': () => ({ code: 'ERR_CIRCUIT_OPEN' }),
  'a proxy that throws at everything': untouchable,
  'a revoked proxy': revoked,
}

/** Things that have a `then`, and what a plain `await` makes of them. */
export const thenables: Record<string, () => unknown> = {
  'calls both callbacks': () => ({ then: (yes: (value: string) => void, no: (error: unknown) => void) => (yes('first'), no(new Error('second'))) }),
  'calls back twice': () => ({ then: (yes: (value: string) => void) => (yes('first'), yes('second')) }),
  'rejects and then resolves': () => ({ then: (yes: (value: string) => void, no: (error: unknown) => void) => (no(new Error('first')), yes('second')) }),
  'throws in then': () => ({ then: () => fault(new Error('thrown in then')) }),
  'throws in then after it resolved': () => ({ then: (yes: (value: string) => void) => (yes('first'), fault()) }),
  'has a then that cannot be read': () => withGetters('then'),
  'resolves with one that rejects': () => ({
    then: (yes: (value: unknown) => void) => yes({ then: (_: unknown, no: (error: unknown) => void) => no(new Error('inner')) }),
  }),
  'resolves with itself, seen as a value': () => ({ then: (yes: (value: unknown) => void) => yes(Object.freeze({ answer: 42 })) }),
  'is a function': () => Object.assign(() => {}, { then: (yes: (value: string) => void) => yes('first') }),
  'is a promise of another realm': () => runInNewContext('Promise.resolve("elsewhere")') as unknown,
  'is a promise of a class of its own': () => new (class Own<T> extends Promise<T> {})((yes) => yes('own')),
  'is a promise whose own then throws': () => Object.assign(Promise.resolve('first'), { then: () => fault(new Error('thrown in then')) }),
  'is a promise whose own then calls both callbacks': () =>
    Object.assign(Promise.resolve('first'), { then: (yes: (value: string) => void, no: (error: unknown) => void) => (yes('first'), no(new Error('second'))) }),
  'is a promise whose own then gives nothing back': () => Object.assign(Promise.resolve('first'), { then: (yes: (value: string) => void) => yes('first') }),
  'is a promise whose constructor cannot be read': () => Object.defineProperty(Promise.resolve('first'), 'constructor', { get: () => fault(new Error('no class')) }),
}

/** A signal whose `aborted` throws the nth time that it is read; after that it says what it is told to, and its `reason` always throws. */
export function faultySignal(nth: number, says: boolean): AbortSignalLike {
  let reads = 0
  return {
    get aborted() {
      return ++reads === nth ? fault(new Error('a broken signal')) : says && reads > nth
    },
    get reason() {
      return fault(new Error('a broken reason'))
    },
  }
}
