import type { RequestOptions } from '../core/options.ts'
import { pagesOf } from '../core/answer.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Configs of agents. */
export class Config extends Resource {
  /** The config of one of the caller's agents, its secrets masked */
  get(id: string, options?: RequestOptions) {
    return this.client.call('GET /api/agents/{id}/config', { params: { id } }, options, 'config')
  }

  /** Merge into the config of one of the caller's agents; a container that runs is restarted */
  update(
    id: string,
    body: BodyOf<'PUT /api/agents/{id}/config'>,
    query?: QueryOf<'PUT /api/agents/{id}/config'>,
    options?: RequestOptions,
  ) {
    return this.client.call(
      'PUT /api/agents/{id}/config',
      { params: { id }, body, query },
      options,
      'config',
    )
  }
}

/** Agents as containers. */
export class Instance extends Resource {
  /** One of the caller's agents as a container */
  get(agentId: string, options?: RequestOptions) {
    return this.client.call('GET /api/instance/{agentId}', { params: { agentId } }, options)
  }

  /** The figures of one of the caller's containers, each null where it is not known */
  stats(agentId: string, options?: RequestOptions) {
    return this.client.call('GET /api/instance/{agentId}/stats', { params: { agentId } }, options)
  }
}

/** Who stands behind agents. */
export class Verification extends Resource {
  /** Who stands behind one of the caller’s agents, where that was proven */
  get(id: string, options?: RequestOptions) {
    return this.client.call('GET /api/agents/{id}/verify', { params: { id } }, options)
  }

  /** Prove who stands behind one of the caller’s agents */
  create(id: string, body: BodyOf<'POST /api/agents/{id}/verify'>, options?: RequestOptions) {
    return this.client.call('POST /api/agents/{id}/verify', { params: { id }, body }, options)
  }

  /** Forget who stands behind one of the caller’s agents */
  delete(id: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/agents/{id}/verify', { params: { id } }, options)
  }
}

/** What was said between agents and those who talked to them. */
export class Messages extends Resource {
  /** An agent’s messages, the newest first; `for await` goes through all pages. */
  list(id: string, query: QueryOf<'GET /api/agents/{id}/messages'> = {}, options?: RequestOptions) {
    const read = (page: typeof query) =>
      this.client.call('GET /api/agents/{id}/messages', { params: { id }, query: page }, options)
    return pagesOf(read, query, 'messages')
  }
}

/** Restore points of agents. */
export class Snapshots extends Resource {
  /** Make a restore point of one of the caller’s agents */
  create(id: string, body?: BodyOf<'POST /api/agents/{id}/snapshots'>, options?: RequestOptions) {
    return this.client.once('POST /api/agents/{id}/snapshots', { params: { id }, body }, options)
  }

  /** The restore points of one of the caller’s agents, newest first */
  list(id: string, options?: RequestOptions) {
    return this.client.call(
      'GET /api/agents/{id}/snapshots',
      { params: { id } },
      options,
      'snapshots',
    )
  }
}
