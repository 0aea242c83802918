import type * as z from 'zod'
import type { RateLimit } from '../manifest/types.ts'
import type { ErrorKind } from '../platform/errors.ts'
import type { KeyScope } from '../platform/identity/actor.ts'
import type { AuditAction } from '../platform/identity/audit.ts'
import type { Context } from '../platform/identity/context.ts'
import type { OwnerOf } from '../platform/identity/owner.ts'
import type { OpenLimit } from '../platform/slots/open.ts'
import type { ErrorForm } from './errors.ts'
import type { GuardActor, GuardName } from './guards/guard.ts'
import type { ErrorCode } from './openapi/codes.ts'
import type { TagName } from './openapi/tags.ts'
import type { Paged } from './paged.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** The context of a request, which a handler gets in addition to the services of its function. */
export interface RequestContext<A> extends Pick<Context, 'log' | 'requestId' | 'seed'> {
  actor: A
  /** The user whose rows the request works on: `ownerFor`. */
  owner: OwnerOf<A>
  /** The address of the client's connection, never a value of the client's headers. */
  ip: string
  request: Request
  /**
   * On a route with `limitedBy: 'handler'`: counts the request for this caller. Undefined counts it for the client's
   * address. @throws PlatformError 429
   */
  countFor(name: string | undefined): Promise<void>
  /** On a route with `limitedBy: 'handler'`: marks the caller as trusted, so that the request is not counted. */
  trust(): void
  /**
   * Counts one request for the client's address against a limit that several routes share. @throws PlatformError 429
   */
  count(limit: RateLimit): Promise<void>
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

interface Input<P, Q, B> {
  params: Parsed<P>
  query: Parsed<Q>
  body: Parsed<B>
}

type Optional = z.ZodType | undefined

/** `forwarded`: the route calls another route first, which counts the request for its client. */
type Unlimited = 'health' | 'document' | 'signed' | 'forwarded'

/**
 * The declaration of a route. The app validates requests and responses by it, and the API document is generated from
 * it.
 */
export interface RouteDefinition<
  Services,
  G extends GuardName,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  R extends z.ZodType,
> {
  /** `<resource>.<verb>`, unique in its surface: the operationId in the API document, and the name in clients. */
  name: `${string}.${string}`
  method: Method
  /** Hono's form: `/api/agents/:id`. */
  path: string
  summary: string
  /** Sentences that follow the summary in the API document. */
  description?: string
  /** The group in the reference page: a line of openapi/tags.ts. */
  tag: TagName
  guard: G
  /**
   * The scope that an API key needs. Default: `read` for GET, `write` otherwise. `any` takes every key. With a list, a
   * key needs one of the scopes before the body is read, and `handle` checks the one that the body needs. Routes that
   * move money or raise a spend limit name `money`.
   */
  scope?: KeyScope | 'any' | readonly KeyScope[]
  /** True to accept requests that a browser sends from another site with the session cookie. */
  crossSite?: true
  params?: P
  query?: Q
  /**
   * The request headers that the handler reads, with their descriptions for the API document; they are strings that
   * the handler validates. `idempotent` and the guard add their own.
   */
  headers?: Readonly<Record<string, string>>
  /**
   * A check that precedes the checks of the body's fields. The app calls it if fields are invalid; otherwise
   * `handle` calls it. @throws PlatformError, such as 503 for a feature that is not configured
   */
  beforeFields?(services: Services): void
  /**
   * Returns the error code for an invalid body, by the first invalid field. The field is undefined if the body is not a
   * JSON object.
   */
  formCode?(field: string | undefined): ErrorCode
  /** The schema of a JSON body; with `bodyOptional` the body may be absent. */
  body?: B
  /**
   * Returns the body's schema in the API document, if `handle` validates the body itself and `body` accepts any object.
   */
  documentedBody?(): z.ZodType
  bodyOptional?: true
  /** The media type of a body other than JSON; the handler reads it from the request, with any content type. */
  rawBody?: string
  /** The largest body in bytes. Default: 1 MB. */
  maxBodyBytes?: number
  /**
   * True if the handler forwards requests, with bodies of any size, to another server and returns its response. The
   * handler reads the request as it was sent: sent-request.ts.
   */
  passesOn?: true
  /** Returns the path for log lines, if they must not contain the full path. */
  loggedPath?(path: string): string
  /** The status of a success. Default: 200. Fields outside the schema are not sent. */
  status?: 200 | 201 | 202 | 301 | 302 | 303
  response: R
  /** True if the request can wait for an approval of the agent's owner: a 202 with the approval's id. */
  parks?: true
  /** The media type of a response other than JSON, such as a file; the handler returns a Response. */
  rawResponse?: string
  /** True if the response is application/x-ndjson: any number of lines, each one `response` as JSON. */
  lines?: true
  /**
   * True if the response is a page of a list. The cursor of the next page is in the header `x-next-cursor`; the query
   * has a `limit` and a `cursor`.
   */
  pages?: true
  /** The data schema of each server-sent event by name, if the route can respond with a stream. */
  events?: Readonly<Record<string, z.ZodType>>
  errors: readonly ErrorKind[]
  /** The error codes of the route; `idempotent`, the guard and the scope add their own. */
  codes?: readonly ErrorCode[]
  errorForm?: ErrorForm
  /** The form of errors for a request with this header. */
  otherErrorForm?: { header: string; form: ErrorForm }
  /**
   * The rate limits of the route, in addition to its surface's limits. Requests with a valid credential are counted for
   * their user or agent, all other requests for the client's address. The default for a route without sign-in is 300
   * requests per minute and address.
   */
  limits?: readonly RateLimit[]
  /**
   * Only the handler can identify the caller, because the credential is in the body or in a special header. The handler
   * calls `countFor`. A request that fails before this call is counted for its address.
   */
  limitedBy?: 'handler'
  /**
   * The limit of concurrent requests, for routes whose requests occupy an instance for a long time. It applies even if
   * RATE_LIMITS is off. A request above it is refused with 429 TOO_MANY_OPEN. Requests are counted by user, or by
   * address without sign-in.
   */
  open?: OpenLimit
  /** The reason why a route without sign-in has no limit. */
  unlimited?: Unlimited
  /** The audit entries that the verb writes in the transaction of its change: docs/design/security.md, Audit. */
  audits?: readonly AuditAction[]
  /** The reason why a route that may change something writes no audit entry. */
  notAudited?: string
  /** True to accept an Idempotency-Key, for a route that creates something that costs money. */
  idempotent?: true
  /** Response headers that a replay under an Idempotency-Key repeats, in lower case. */
  replayed?: readonly string[]
  /**
   * Returns the payer, who owns the Idempotency-Key of a request without a sign-in. A request without a payment has
   * no owner, and its key is ignored.
   */
  payer?(
    body: Parsed<B>,
    context: Services & Pick<RequestContext<unknown>, 'request'>,
  ): Promise<string | undefined> | string
  handle(
    context: RequestContext<GuardActor[G]> & Services,
    input: Input<P, Q, B>,
  ): Promise<z.input<R> | Paged<z.input<R>> | Response> | z.input<R> | Paged<z.input<R>> | Response
}

/** A route that may change something declares its audit entries, or the reason why it has none. */
type Audited = { method: 'GET' } | { audits: readonly AuditAction[] } | { notAudited: string }

/** A route without its type parameters, for the app and the API document. */
export type Route<Services> = RouteDefinition<
  Services,
  GuardName,
  Optional,
  Optional,
  Optional,
  z.ZodType
>

/** The fields of a route that determine its limits. */
export type Limited = Pick<
  Route<never>,
  'name' | 'method' | 'path' | 'guard' | 'limits' | 'limitedBy' | 'unlimited'
>

/**
 * Returns `route` for a function whose handlers need `Services`: `const route = routesWith<AgentServices>()`, then
 * `route({ method, path, …, handle })`.
 * @param shared the limits of all routes that it creates, so that no route can omit them
 */
export function routesWith<Services>(shared: { limits: readonly RateLimit[] } = { limits: [] }) {
  return <
    G extends GuardName,
    R extends z.ZodType,
    P extends Optional = undefined,
    Q extends Optional = undefined,
    B extends Optional = undefined,
  >(
    definition: RouteDefinition<Services, G, P, Q, B, R> & Audited,
  ): Route<Services> => {
    const limits = [...shared.limits, ...(definition.limits ?? [])]
    // Erasing the types is safe, because the app calls each handler with the values of its own guard and schemas.
    return { ...definition, limits } as unknown as Route<Services>
  }
}
