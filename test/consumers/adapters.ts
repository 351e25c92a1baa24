// Every subpath's types, all of them checked, and a registry of the other format handed to each adapter that takes one.
import type { BreakerRegistry as Imported, CircuitBreaker as ImportedBreaker } from 'lazybreaker' with { 'resolution-mode': 'import' };
import type { BreakerRegistry as Required, CircuitBreaker as RequiredBreaker } from 'lazybreaker' with { 'resolution-mode': 'require' };
import { breakerFetch } from 'lazybreaker/fetch';
import * as axios from 'lazybreaker/axios';
import * as diagnostics from 'lazybreaker/diagnostics';
import * as explain from 'lazybreaker/explain';
import * as opentelemetry from 'lazybreaker/opentelemetry';
import * as prometheus from 'lazybreaker/prometheus';
import * as undici from 'lazybreaker/undici';

declare const imported: Imported<string>;
declare const required: Required<string>;
declare const importedBreaker: ImportedBreaker;
declare const requiredBreaker: RequiredBreaker;

export const fetches = [breakerFetch(imported), breakerFetch(required), breakerFetch(importedBreaker), breakerFetch(requiredBreaker)];
export const interceptors = [undici.breakerInterceptor(imported), undici.breakerInterceptor(required)];
export const entries = { axios, diagnostics, explain, opentelemetry, prometheus, undici };
