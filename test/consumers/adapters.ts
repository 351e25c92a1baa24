// Every subpath's types, all of them checked, and a registry of either format handed to each adapter: a service may have both copies.
import type { BreakerRegistry as Imported, CircuitBreaker as ImportedBreaker } from 'lazybreaker' with { 'resolution-mode': 'import' }
import type { BreakerRegistry as Required, CircuitBreaker as RequiredBreaker } from 'lazybreaker' with { 'resolution-mode': 'require' }
import { breakerAdapter } from 'lazybreaker/axios'
import { CHANNELS, publish } from 'lazybreaker/diagnostics'
import { explain } from 'lazybreaker/explain'
import { breakerFetch } from 'lazybreaker/fetch'
import { instrument as throughOpenTelemetry, type OpenTelemetryMeter } from 'lazybreaker/opentelemetry'
import { instrument as throughPrometheus, type PrometheusRegister } from 'lazybreaker/prometheus'
import { breakerInterceptor } from 'lazybreaker/undici'

type Either = Imported<string> | Required<string> | ImportedBreaker | RequiredBreaker
declare const guards: [Imported<string>, Required<string>, ImportedBreaker, RequiredBreaker]
declare const adapter: (config: { url: string }) => Promise<{ status: number; data: string }>
declare const meter: OpenTelemetryMeter
declare const register: PrometheusRegister

for (const guard of guards satisfies Either[]) {
  const answer: Promise<{ data: string }> = breakerAdapter(guard, adapter)({ url: 'http://a.test' })
  const words: string = explain(guard)
  const ends: (() => void)[] = [throughOpenTelemetry(guard, { meter }), throughPrometheus(guard, { register }), publish(guard)]
  void [answer, words, ends, breakerFetch(guard), breakerInterceptor(guard)]
}

// Keys of another kind than strings need a function that finds them.
declare const byTier: Imported<number>
export const tiered = breakerFetch(byTier, { key: (url) => (url.origin === 'https://a.test' ? 1 : 2) })
// @ts-expect-error an origin is no number
breakerFetch(byTier)
export const refusals: string = CHANNELS.refusal
