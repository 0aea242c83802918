import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { localCredentials } from '../clients/credentials.ts'
import type { Containers } from '../containers/start.ts'

/** A workspace folder has the id of its agent as its name. */
const agentId = new RegExp(`^${idPrefixes.agent}_[0-9a-z]+$`)

/**
 * Removes the workspaces of deleted agents whose containers have ended. AWS needs no such sweep: a task's disk is deleted
 * with the task.
 * @param exists returns whether an agent exists
 * @returns the ids of the agents whose workspaces were removed
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

/** Returns a lookup for agents in the platform's table. */
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
