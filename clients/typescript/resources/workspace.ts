import type { RequestOptions } from '../core/options.ts'
import type { Answer } from '../core/answer.ts'
import { Resource } from './resource.ts'

/** What agents remember. */
export class Memory extends Resource {
  /** Everything that an agent remembers, what it has written itself included */
  get(agentId: string, options?: RequestOptions) {
    return this.client.call('GET /api/memory', { query: { agentId } }, options)
  }

  /** Write one note into an agent’s memory */
  set(agentId: string, key: string, memory: string, options?: RequestOptions) {
    return this.write({ agentId, key, memory }, options)
  }

  /** Write one note into an agent’s memory, or several at once; null forgets one */
  write = this.opWithBody('POST /api/memory')

  /** Forget one note of an agent’s memory */
  forget(agentId: string, key: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/memory', { body: { agentId, key } }, options)
  }
}

/** What agents can be given to do. */
export class Skills extends Resource {
  /** The skills that agents can be given, and which of them one’s own agent has */
  list = this.opWithQuery('GET /api/skills')

  /** Install a skill into an agent, or bring it up to date */
  install(agentId: string, skillId: string, options?: RequestOptions) {
    return this.client.call('POST /api/skills', { body: { agentId, skillId } }, options)
  }

  /** Take a skill out of an agent */
  uninstall(agentId: string, skillId: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/skills', { body: { agentId, skillId } }, options)
  }

  /** Have an agent work on an input by one of its skills */
  use = this.onceWithBody('POST /api/skills/{name}')
}

/** What agents sign in to other services with: kept sealed, listed by name alone. */
export class Credentials extends Resource {
  /** The names of an agent’s credentials */
  list(agentId: string, options?: RequestOptions): Answer<{ key: string; updatedAt: string }[]> {
    const query = { action: 'credentials', agentId } as const
    return this.client.request('GET /api/agent', { query }, options, { open: 'credentials' })
  }

  /** Keep a credential for an agent; null forgets it */
  set(agentId: string, key: string, value: string | null, options?: RequestOptions) {
    const body = { action: 'set-credential', agentId, key, value } as const
    return this.client.once('POST /api/agent', { body }, options)
  }
}
