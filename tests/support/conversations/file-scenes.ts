import { profileKey } from '#shared/accounts/users/user.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import type { startRestorePoints } from './restore-points.ts'

type World = Awaited<ReturnType<typeof startRestorePoints>>

/** Returns the steps with agents' files that tests of restore points and archives share. */
export function fileScenes(world: World, user: () => { session: string }) {
  const base = (agentId: string) => `/api/agents/${agentId}/files`
  const content = (agentId: string, path: string) =>
    `${base(agentId)}/content?${new URLSearchParams({ path })}`

  async function ask(method: string, address: string, bytes?: Uint8Array<ArrayBuffer>) {
    const { session } = user()
    const headers = { 'content-type': 'application/octet-stream' }
    const answer = await world.call(method, address, { session, ...(bytes && { bytes, headers }) })
    if (!answer.ok) throw new Error(`${method} ${address}: ${await answer.text()}`)
    return answer
  }

  async function pathsOf(agentId: string, folder = ''): Promise<string[]> {
    const answer = await ask('GET', `${base(agentId)}?${new URLSearchParams({ path: folder })}`)
    const { entries } = (await answer.json()) as { entries: { type: string; path: string }[] }
    const nested = entries.map(({ type, path }) =>
      type === 'folder' ? pathsOf(agentId, path) : [path],
    )
    return (await Promise.all(nested)).flat()
  }

  return {
    put: async (agentId: string, path: string, text: string | Uint8Array<ArrayBuffer>) =>
      void (await ask(
        'PUT',
        content(agentId, path),
        typeof text === 'string' ? new TextEncoder().encode(text) : text,
      )),
    remove: async (agentId: string, path: string) =>
      void (await ask('DELETE', `${content(agentId, path)}&recursive=true`)),
    /** Returns all files of an agent: their texts by path. */
    async contentOf(agentId: string): Promise<Record<string, string>> {
      const texts: Record<string, string> = {}
      for (const path of await pathsOf(agentId))
        texts[path] = await (await ask('GET', content(agentId, path))).text()
      return texts
    },
    /** Gives a user this storage in bytes, by a part of an upgrade, in addition to the plan. */
    async limitStorage(userId: string, bytes: number): Promise<void> {
      const storage = {
        gb: bytes / 1024 ** 3 - 5,
        subscriptionId: null,
        status: 'active',
        customerId: null,
        since: 0,
        orderId: 'o',
      }
      await world.table.update({ pk: userPartition(userId), sk: profileKey }, { set: { storage } })
    },
  }
}
