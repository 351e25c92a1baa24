/** One host of the demo: what happens to it, and how it is guarded. */
export interface Role {
  readonly name: string;
  /** What it does during its outage; a silent host never answers. */
  readonly fault: 'none' | 'refuses' | 'hangs' | 'errors' | 'silent';
  /** In milliseconds from the start. */
  readonly outage?: [from: number, to: number];
  /** The outage in words. */
  readonly story: string;
  /** The breaker's options in words. */
  readonly guard: string[];
  /** Calls a second. */
  readonly rate: number;
  /** When the calls begin, in milliseconds from the start. */
  readonly from: number;
  /** How long a caller waits, in milliseconds. */
  readonly patience: number;
  /** Whether the same calls are also made without a breaker. */
  readonly control: boolean;
  /** Of the breaker. */
  readonly options: object;
}

export const duration: number;
export function cast(library: object, scale?: number): Role[];
