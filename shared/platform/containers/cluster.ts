import { DescribeClustersCommand, ECSClient } from '@aws-sdk/client-ecs'

/**
 * Checks with ECS whether the cluster can run tasks; running tasks are not checked. Failures are not retried, because a
 * failed check is a result.
 * @throws Error if ECS does not respond or the cluster is not active
 */
export function clusterProbe(cluster: string, endpoint: string | undefined): () => Promise<void> {
  const client = new ECSClient({ ...(endpoint !== undefined && { endpoint }), maxAttempts: 1 })
  return async () => {
    const { clusters = [] } = await client.send(
      new DescribeClustersCommand({ clusters: [cluster] }),
    )
    const [found] = clusters
    if (found?.status !== 'ACTIVE') throw new Error(`the cluster is ${found?.status ?? 'missing'}`)
  }
}
