import type * as z from 'zod'
import type { RateLimit } from '../manifest/types.ts'
import type { ErrorKind } from '../platform/errors.ts'
import type { OpenLimit } from '../platform/slots/open.ts'
import type { Log } from '../platform/log.ts'
import type { KeyScope } from '../identity/actor.ts'
import type { AuditAction } from '../identity/audit.ts'
import type { ErrorForm } from './errors.ts'
import type { ErrorCode } from './openapi/codes.ts'
import type { TagName } from './openapi/tags.ts'
import type { Paged } from './paged.ts'
import type { GuardActor, GuardName } from './guards/guard.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** What a handler is given beside the services of its function. */
export interface RequestContext<A> {
  actor: A
  requestId: string
  log: Log
  /** The client's address: the connection's, never one that a client wrote into a header. */
  ip: string
  request: Request
  /** The same for a request and its retries under one Idempotency-Key; ids made from it make a create repeatable. */
  seed: string
  /**
   * On a route with `limitedBy: 'handler'`: counts the request for the named caller. Undefined counts it for the client's
   * address. @throws PlatformError 429
   */
  countFor(name: string | undefined): Promise<void>
  /** On a route with `limitedBy: 'handler'`: the caller is trusted, and the request is not counted. */
  trust(): void
  /** Counts one more at the client's address against a limit that several routes share. @throws PlatformError 429 */
  count(limit: RateLimit): Promise<void>
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface Input<P, Q, B> {
  params: Parsed<P>
  query: Parsed<Q>
  body: Parsed<B>
}

type Optional = z.ZodType | undefined

/** `forwarded`: the route calls another route first, which counts the request for its client. */
export type Unlimited = 'health' | 'document' | 'signed' | 'forwarded'

/** One route, said once: the app validates and answers by it, and the API document is written from it. */
export interface RouteDefinition<
  Services,
  G extends GuardName,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  R extends z.ZodType,
> {
  /** `<resource>.<verb>`, unique in its surface: operationId in the API document, and what clients call it. */
  name: `${string}.${string}`
  method: Method
  /** Hono's form: `/api/agents/:id`. */
  path: string
  summary: string
  /** The group that the reference page lists it under: a line of openapi/tags.ts. */
  tag: TagName
  guard: G
  /**
   * The scope that an API key needs. Default: `read` for GET, `write` otherwise. `any` takes every key. With a list, a key
   * needs one of the scopes before the body is read, and `handle` checks the one that the body needs. Routes that move
   * money or raise a spend limit name `money`.
   */
  scope?: KeyScope | 'any' | readonly KeyScope[]
  /** Also takes what a browser sends from another site with the session cookie on it. */
  crossSite?: true
  params?: P
  query?: Q
  /**
   * The request's headers that the handler reads, and what each says, for the API document; they are strings that the
   * handler judges. `idempotent` and the guard add theirs.
   */
  headers?: Readonly<Record<string, string>>
  /**
   * What comes before the fields of its body in the order of the checks, asked where these are wrong; `handle` asks it
   * itself. @throws PlatformError, such as 503 for a feature that is not configured
   */
  beforeFields?(services: Services): void
  /**
   * Returns the error code for an invalid body, by the first invalid field. The field is undefined if the body is not a
   * JSON object.
   */
  formCode?(field: string | undefined): ErrorCode
  /** Of a JSON body; `bodyOptional` lets it be absent altogether. */
  body?: B
  bodyOptional?: true
  /** The media type of a body that is no JSON; the handler reads it from the request, with any content type. */
  rawBody?: string
  /** The most bytes that a body of it may have; 1 MB unless said otherwise. */
  mostBodyBytes?: number
  /**
   * Passes requests on, bodies of any size among them, and what it answers is another server's; the handler takes the
   * request as it was sent: sent-request.ts.
   */
  passesOn?: true
  /** What its log lines have of a request's path, where they may not have the whole. */
  loggedPath?(path: string): string
  /** Success: 200 unless said otherwise. What the schema does not name is not sent. */
  status?: 200 | 201 | 202 | 301 | 302 | 303
  response: R
  /** The media type of an answer that is no JSON, such as a file's; the handler answers a Response. */
  rawResponse?: string
  /** Answers any number of lines, each the JSON of one `response`: application/x-ndjson. */
  lines?: true
  /** Answers a page of a list, and names in `x-next-cursor` the cursor of the next one; its query has a `limit` and a `cursor`. */
  pages?: true
  /** Where it can answer a stream of server-sent events: what each event carries, by its name. */
  events?: Readonly<Record<string, z.ZodType>>
  errors: readonly ErrorKind[]
  /** The named codes that its errors can carry; `idempotent`, the guard and the scope add theirs. */
  codes?: readonly ErrorCode[]
  errorForm?: ErrorForm
  /**
   * The rate limits of the route, in addition to those of its surface. The default for a route without sign-in is 300
   * requests per minute and address.
   */
  limits?: readonly RateLimit[]
  /**
   * Only the handler can identify the caller, because the credential is in the body or in a special header. The handler
   * calls `countFor`. A request that fails before this call counts for its address.
   */
  limitedBy?: 'handler'
  /**
   * The limit of open requests, because each holds an instance. It applies also if RATE_LIMITS is off. One more request is
   * 429 TOO_MANY_OPEN. Requests count by user, and by address without sign-in.
   */
  open?: OpenLimit
  /** Why a route without sign-in has no limit at all. */
  unlimited?: Unlimited
  /** What its verb writes into the audit, in the transaction that makes the change: docs/security.md, Audit. */
  audits?: readonly AuditAction[]
  /** Why it writes nothing there, where it may change something. */
  notAudited?: string
  /** Takes Idempotency-Key, because it makes something that costs. */
  idempotent?: true
  /** Headers that are part of its answer, in lower case, and so of a replay under an Idempotency-Key. */
  replayed?: readonly string[]
  /** The payer, under whose name an Idempotency-Key without a sign-in is kept. A request that shows no payment has none, and its key is not looked at. */
  payer?(
    body: Parsed<B>,
    context: Services & Pick<RequestContext<unknown>, 'request'>,
  ): Promise<string | undefined> | string
  handle(
    context: RequestContext<GuardActor[G]> & Services,
    input: Input<P, Q, B>,
  ): Promise<z.input<R> | Paged<z.input<R>> | Response> | z.input<R> | Paged<z.input<R>> | Response
}

/** A route that may change something names what it writes into the audit, or why it writes nothing. */
type Audited = { method: 'GET' } | { audits: readonly AuditAction[] } | { notAudited: string }

/** A route whose types have done their work; what the app and the document builder read. */
export type Route<Services> = RouteDefinition<
  Services,
  GuardName,
  Optional,
  Optional,
  Optional,
  z.ZodType
>

/** The parts of a route that decide its limits. */
export type Limited = Pick<
  Route<never>,
  'name' | 'path' | 'guard' | 'limits' | 'limitedBy' | 'unlimited'
>

/**
 * Makes `route` for a function whose handlers need `Services`:
 * `const route = routesWith<AgentServices>()`, then `route({ method, path, …, handle })`.
 * @param shared what all routes made by it count against, so that a new one cannot forget it
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
    // The app hands each handler exactly what its own guard and schemas produced, so forgetting the types is safe.
    return { ...definition, limits } as unknown as Route<Services>
  }
}
