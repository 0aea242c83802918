import type { Answer } from '../core/answer.ts'
import type { BodyOf, QueryOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { Resource } from './resource.ts'

/** The ETag that a file must have for a change; `ifNoneMatch: '*'` only creates a file. */
interface Conditions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
}

/** The files of agents, which stay when the container stops. */
export class Files extends Resource {
  /** Lists a folder of an agent’s files by name; the workspace without `path`. `cursor` of a page gives the next one. */
  list = this.opWithQuery('GET /api/agents/{id}/files')

  /**
   * Reads a file of an agent. The caller reads the body of the response.
   * @param options with `headers: { range: 'bytes=0-99' }` for a part
   */
  get(id: string, path: string, options?: RequestOptions): Answer<Response> {
    const input = { params: { id }, query: { path } }
    const read = { unread: true, follows: true }
    return this.client.request('GET /api/agents/{id}/files/content', input, options, read)
  }

  /** Writes a file of an agent, of at most 4 MiB, with the folders above it. The response has its ETag. */
  put(
    id: string,
    path: string,
    content: BodyOf<'PUT /api/agents/{id}/files/content'>,
    { ifMatch, ifNoneMatch, ...options }: RequestOptions & Conditions = {},
  ) {
    const type = 'application/octet-stream'
    return this.client.call(
      'PUT /api/agents/{id}/files/content',
      { params: { id }, query: { path }, body: content, type },
      withConditions(options, { ifMatch, ifNoneMatch }),
    )
  }

  /** Deletes a file of an agent, or a folder with `recursive`. */
  delete(
    id: string,
    path: string,
    {
      recursive,
      ifMatch,
      ...options
    }: RequestOptions & Pick<Conditions, 'ifMatch'> & { recursive?: boolean } = {},
  ) {
    const query: QueryOf<'DELETE /api/agents/{id}/files/content'> =
      recursive === true ? { path, recursive: 'true' } : { path }
    return this.client.call(
      'DELETE /api/agents/{id}/files/content',
      { params: { id }, query },
      withConditions(options, { ifMatch }),
    )
  }

  /** Moves a file or folder of an agent. */
  move = this.opWithBody('POST /api/agents/{id}/files/move')

  /** Creates a link to upload a file of an agent, of at most 5 GB. */
  upload = this.opWithBody('POST /api/agents/{id}/files/uploads')
}

function withConditions(options: RequestOptions, { ifMatch, ifNoneMatch }: Conditions) {
  return {
    ...options,
    headers: {
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      ...options.headers,
    },
  }
}

/** The storage that the files of the caller’s agents use. */
export class Storage extends Resource {
  /** Returns the used and the available storage. */
  get = this.op('GET /api/storage')
}
