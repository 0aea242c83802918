import * as group from '#functions/backend/files.ts'
import { agentAiKey, containerKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { createApp } from '#shared/http/app.ts'
import { encryptionKey, type FilesWorld } from './files.ts'

export type ContainerVerb = 'open' | 'links' | 'packs' | 'commit'

/** Calls the routes of containers' files over the same table and object store as a user's routes. */
export function containerFiles({ job, table }: FilesWorld) {
  const app = createApp({
    surface: 'backend',
    name: 'backend-files',
    routes: group.routes,
    services: job,
    settings: { RATE_LIMITS: 'off' },
    identity: { agentKey: containerKeyIdentity(table, encryptionKey) },
    table,
  })
  return {
    /** The routes themselves. */
    fetch: app.fetch,
    /** Returns the key of an agent's container. */
    keyOf: (userId: string, agentId: string, generation: number) =>
      agentAiKey(encryptionKey, { id: agentId, userId }, generation),
    /** Sends a request as a container. @returns status and body */
    async ask(key: string, verb: ContainerVerb, body: object) {
      const answer = await app.request(`/api/agent-files/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
  }
}
