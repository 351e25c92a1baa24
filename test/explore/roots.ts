import { waitOf } from '../model/options.js'
import { type Setting } from './configurations.js'
import { type Move, expected } from './moves.js'
import { beginning } from './place.js'

/**
 * The way through one outage and its recovery. From each place on it the search begins, so that the last phase is seen in the same depth as
 * the first.
 */
export function* wayThroughAnOutage({ options, extras }: Setting): Generator<Move, void> {
  let place = beginning
  const go = (move: Move): Move => {
    ;[place] = expected(options, place, move)
    return move
  }
  function* call(outcome: 'success' | 'failure'): Generator<Move> {
    const id = place.started
    yield go({ type: 'start', id })
    // A ramp refuses some.
    if (place.pending.includes(id)) yield go({ type: 'settle', id, outcome })
  }
  // Three times where the larger of the counters are told apart, so that they are near.
  for (let trips = 0; trips < (extras.includes('counters') ? 3 : 1); trips++) {
    do yield* call('failure')
    while (place.model.kind !== 'open')
    yield go({ type: 'clock', ms: waitOf(options, place.model.outage!.relapses) })
  }
  const isTolerant = () => {
    const { kind, outage } = place.model
    return kind === 'half-open' && outage!.failures < options.phases[outage!.phase]!.maxFailures
  }
  // Each phase fails as often as it tolerates, so that the next one would be seen to count on from there.
  do yield* call(isTolerant() ? 'failure' : 'success')
  while (place.model.kind !== 'closed')
}
