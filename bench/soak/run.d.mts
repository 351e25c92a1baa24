/** What a soak found. */
export interface Soaked {
  /** Everything that went wrong, in words. */
  readonly complaints: string[];
  readonly counts: Record<
    'hosts' | 'processes' | 'calls' | 'ok' | 'failed' | 'refused' | 'ignored' | 'forgotten' | 'arrived' | 'crashes' | 'opened' | 'closed',
    number
  >;
  /** A digest of the faults and calls, made by the seed alone. */
  readonly story: string;
  /** A digest of what became of every call, and of every transition. */
  readonly outcome: string;
  readonly heap: string;
  readonly logs: string;
}

export function soak(settings: {
  library: object;
  seed: number | string;
  hosts: number;
  ticks: number;
  processes?: number;
  pace?: number;
  progress?: (line: string) => void;
}): Promise<Soaked>;
