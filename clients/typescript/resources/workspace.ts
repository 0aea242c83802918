import type { Answer } from '../core/answer.ts'
import type { RequestOptions } from '../core/options.ts'
import { Resource } from './resource.ts'

/** The memory of agents. */
export class Memory extends Resource {
  /** Returns all notes in an agent’s memory, including notes that the agent wrote. */
  get(agentId: string, options?: RequestOptions) {
    return this.client.call('GET /api/memory', { query: { agentId } }, options)
  }

  /** Writes one note into an agent’s memory. */
  set(agentId: string, key: string, memory: string, options?: RequestOptions) {
    return this.write({ agentId, key, memory }, options)
  }

  /** Writes one or several notes into an agent’s memory. null deletes a note. */
  write = this.opWithBody('POST /api/memory')

  /** Deletes one note from an agent’s memory. */
  forget(agentId: string, key: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/memory', { body: { agentId, key } }, options)
  }
}

/** Skills that agents can use. */
export class Skills extends Resource {
  /** Lists the available skills, and which of them an agent has installed. */
  list = this.opWithQuery('GET /api/skills')

  /** Installs a skill into an agent, or updates it. */
  install(agentId: string, skillId: string, options?: RequestOptions) {
    return this.client.call('POST /api/skills', { body: { agentId, skillId } }, options)
  }

  /** Uninstalls a skill from an agent. */
  uninstall(agentId: string, skillId: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/skills', { body: { agentId, skillId } }, options)
  }

  /** Sends an input to an agent with one of its skills. */
  use = this.onceWithBody('POST /api/skills/{name}')
}

/** Credentials that agents use at other services. They are stored encrypted; only their names can be listed. */
export class Credentials extends Resource {
  /** Lists the names of an agent’s credentials. */
  list(agentId: string, options?: RequestOptions): Answer<{ key: string; updatedAt: string }[]> {
    const query = { action: 'credentials', agentId } as const
    return this.client.request('GET /api/agent', { query }, options, { open: 'credentials' })
  }

  /** Stores a credential of an agent. null deletes it. */
  set(agentId: string, key: string, value: string | null, options?: RequestOptions) {
    const body = { action: 'set-credential', agentId, key, value } as const
    return this.client.once('POST /api/agent', { body }, options)
  }
}
