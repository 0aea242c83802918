import { type AgentStack, startAgentStack } from './agent-stack.ts'

export interface BrokerStack extends Pick<AgentStack, 'pid' | 'key' | 'stop'> {
  /** The base of the agent's broker addresses. */
  broker: string
  /** Returns the number of requests that the platform has recorded, at most 200. */
  recorded(): Promise<number>
}

/** Starts a local stack in its own process, with an agent that has a credential for a host. */
export async function startBrokerStack(
  dataDir: string,
  { host, certFile }: { host: string; certFile: string },
): Promise<BrokerStack> {
  const { pid, key, backend, ask, stop } = await startAgentStack(dataDir, { host, certFile })
  await ask('/broker-credentials', {
    name: 'bench',
    hosts: [host],
    header: 'authorization: Bearer {value}',
    value: 'a-credential-of-the-bench-of-usual-length',
  })
  return {
    pid,
    broker: `${backend}/broker/bench/${host}`,
    key,
    recorded: async () =>
      (await ask<{ requests: unknown[] }>('/broker-requests?limit=200')).requests.length,
    stop,
  }
}
