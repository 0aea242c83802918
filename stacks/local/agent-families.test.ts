import { expect, it } from 'vitest'
import { agentFamilies } from './agent-families.ts'
import type { AgentRuntime } from './agent-runtime.ts'

const runtime: AgentRuntime = {
  command: ['agent'],
  env: {},
  volumeEnv: 'WORKSPACE_DIR',
  images: ['agent:1'],
}

it('an agent on one machine has time to finish its work, and then the time of ECS to store its files', () => {
  const families = Object.values(agentFamilies(runtime, '/cache'))
  expect(families.length).toBeGreaterThan(0)
  for (const { stopTimeoutSeconds, env } of families) {
    expect(stopTimeoutSeconds * 1000).toBeGreaterThan(Number(env?.SHUTDOWN_GRACE_MS))
    expect(stopTimeoutSeconds).toBe(120)
  }
})
