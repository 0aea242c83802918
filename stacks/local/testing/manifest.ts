import type { FunctionSpec, Trigger } from '../../manifest/index.ts'

/** A function of this folder as the manifest would declare it. */
export function fixture(
  name: string,
  file: 'http' | 'stream' | 'queue' | 'schedule',
  trigger: Trigger,
  more: Partial<FunctionSpec> = {},
): FunctionSpec {
  return {
    name,
    entry: `stacks/local/testing/functions/${file}.ts`,
    trigger,
    memoryMb: 128,
    timeoutSeconds: 5,
    grants: [],
    settings: [],
    secrets: [],
    budget: 'standard',
    ...more,
  }
}
