import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { idPrefixes } from '../../../shared/manifest/ids.ts'
import { localCredentials } from '../clients/credentials.ts'
import type { Containers } from '../containers/start.ts'

/** A folder that holds an agent's workspace is named by the agent. */
const agentId = new RegExp(`^${idPrefixes.agent}_[0-9a-z]+$`)

/**
 * Removes the workspaces of agents that are gone, whose containers have ended. On AWS nothing of the kind is left: a
 * task's disk goes with the task.
 * @param exists whether the platform knows an agent
 * @returns whose were removed
 */
export async function sweepVolumes(
  containers: Pick<Containers, 'listVolumes' | 'removeVolume'>,
  exists: (agentId: string) => Promise<boolean>,
): Promise<string[]> {
  const removed: string[] = []
  for (const name of await containers.listVolumes())
    if (agentId.test(name) && !(await exists(name)) && (await containers.removeVolume(name)))
      removed.push(name)
  return removed
}

/** Looks an agent up where the platform says whose it is. */
export function agentsIn(endpoint: string, TableName: string, credentials = localCredentials()) {
  const client = new DynamoDBClient({ endpoint, ...credentials })
  return {
    exists: async (id: string): Promise<boolean> => {
      const Key = { pk: { S: `agent#${id}` }, sk: { S: 'owner' } }
      const { Item } = await client.send(
        new GetItemCommand({ TableName, Key, ConsistentRead: true }),
      )
      return Item !== undefined
    },
    close: () => client.destroy(),
  }
}
