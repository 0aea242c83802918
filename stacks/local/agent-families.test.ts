import { expect, it } from 'vitest'
import { agentFamilies } from './agent-families.ts'
import type { AgentRuntime } from './agent-runtime.ts'

const runtime: AgentRuntime = {
  command: ['agent'],
  env: {},
  volumeEnv: 'WORKSPACE_DIR',
  images: ['agent:1'],
}

it('an agent on one machine has time to finish, and is killed soon after if it hangs', () => {
  const families = Object.values(agentFamilies(runtime, '/cache'))
  expect(families.length).toBeGreaterThan(0)
  for (const { stopTimeoutSeconds, env } of families) {
    expect(stopTimeoutSeconds * 1000).toBeGreaterThan(Number(env?.SHUTDOWN_GRACE_MS))
    // A repair waits until the old process has ended.
    expect(stopTimeoutSeconds).toBeLessThanOrEqual(10)
  }
})
