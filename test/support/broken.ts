import { Readable } from 'node:stream'

/** A body of which a first piece is sent before `then` happens to it: it breaks off, or nothing more comes. */
export function broken(then: (body: Readable) => void): Readable {
  let begun = false
  return new Readable({
    read() {
      if (begun) return
      begun = true
      this.push('the beginning')
      setImmediate(then, this)
    },
  })
}
