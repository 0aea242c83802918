import type { FunctionSpec, Trigger } from '../../../shared/manifest/index.ts'

/** A function of this folder as the manifest would declare it. */
export function fixture(
  name: string,
  file: 'http' | 'stream' | 'queue' | 'schedule' | 'service',
  trigger: Trigger,
  more: Partial<FunctionSpec> = {},
): FunctionSpec {
  return {
    name,
    entry: `stacks/local/testing/functions/${file}.ts`,
    trigger,
    memoryMb: 128,
    // Longer than any test: no function is over its time because the machine is slow.
    timeoutSeconds: 60,
    grants: [],
    settings: [],
    secrets: [],
    budget: 'standard',
    ...more,
  }
}
