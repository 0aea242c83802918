import type { FunctionSpec, Trigger } from '#shared/manifest/index.ts'

/** Returns the manifest entry of a fixture function in this folder. */
export function fixture(
  name: string,
  file: 'http' | 'stream' | 'queue' | 'loop' | 'schedule' | 'service',
  trigger: Trigger,
  more: Partial<FunctionSpec> = {},
): FunctionSpec {
  return {
    name,
    entry: `stacks/local/testing/functions/${file}.ts`,
    trigger,
    memoryMb: 128,
    // Longer than any test, so that no function times out on a slow machine.
    timeoutSeconds: 60,
    grants: [],
    settings: [],
    secrets: [],
    budget: 'standard',
    ...more,
  }
}
