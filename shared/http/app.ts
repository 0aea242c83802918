import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { idPrefixes } from '../manifest/ids.ts'
import { PlatformError } from '../platform/errors.ts'
import { type Actor, describeActor } from '../platform/identity/actor.ts'
import { ownerFor } from '../platform/identity/owner.ts'
import { newId, newSeed } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import type { Origin } from '../platform/queues/port.ts'
import { streamWhileAuthorized } from './authorized-stream.ts'
import { bodyTextOf, rejectLargeBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { errorFormOf, errorResponse, formsBelow, toPlatformError } from './errors.ts'
import { bearer, checkGuard } from './guards/check.ts'
import { checkCsrf } from './guards/csrf.ts'
import { checkScope } from './guards/scope.ts'
import { sessionCookies } from './guards/session-cookie.ts'
import { claim } from './idempotency/record.ts'
import { withSlot } from './limits/open-slot.ts'
import { RequestLimits } from './limits/request-limits.ts'
import type { AppOptions, Env } from './options.ts'
import { nextCursor, Paged } from './paged.ts'
import type { Route } from './route.ts'
import { validated, validators } from './validate.ts'

/** contract.md, General rules: the maximum duration of a function behind an HTTP API. */
const longestMs = 30_000

/**
 * Creates the app of one function: its routes with the guards, limits, errors and log line that all functions
 * share.
 */
export function createApp<Services>(options: AppOptions<Services>): Hono<Env> {
  const app = new Hono<Env>()
  app.use('*', oneLogLine(options))
  for (const [path, routes] of Map.groupBy(options.routes, (route) => route.path)) {
    for (const route of routes) app.on(route.method, path, ...chain(route, options))
    const allow = routes.map((route) => route.method).join(', ')
    const loggedPath = routes.find((route) => route.loggedPath !== undefined)?.loggedPath
    app.all(path, (context) => {
      context.set('loggedPath', loggedPath?.(context.req.path))
      context.set('errorForm', routes[0]?.errorForm ?? 'platform')
      throw new PlatformError('method-not-allowed', 'Method not allowed', {
        headers: { Allow: allow },
      })
    })
  }
  const formOf = formsBelow(options.routes)
  app.notFound((context) => {
    const failure = new PlatformError('not-found', 'Not found')
    context.set('failure', failure)
    return errorResponse(failure, formOf(context.req.path), context.get('requestId'))
  })
  app.onError((thrown, context) => failed(thrown, context))
  return app
}

function failed(thrown: unknown, context: Context<Env>): Response {
  const failure = toPlatformError(thrown)
  context.set('failure', failure)
  const form = context.get('errorForm') ?? 'platform'
  return errorResponse(failure, form, context.get('requestId'))
}

/** Writes one log line for each request, with every field that later queries need, and no secret. */
function oneLogLine<S>({ surface, name, settings }: AppOptions<S>): MiddlewareHandler<Env> {
  return async (context, next) => {
    const started = performance.now()
    const requested = context.req.header('x-request-id') ?? ''
    const requestId = /^[\w-]{1,64}$/.test(requested) ? requested : newId(idPrefixes.request)
    const log = createLog({ surface, function: name, requestId })
    context.set('requestId', requestId)
    context.set('log', log)
    context.set('seed', newSeed())
    context.set('ip', await clientAddress(context, settings.ORIGIN_SECRET))
    await next()
    const { headers, status } = context.res
    // Nothing reads the body of a HEAD response: without a cancel, a stream would continue and keep its slot.
    if (context.req.method === 'HEAD') await context.res.body?.cancel()
    headers.set('x-request-id', requestId)
    if (context.get('errorForm') === 'anthropic') headers.set('request-id', requestId)
    headers.set('x-content-type-options', 'nosniff')
    // Responses are private to the caller; a route whose response may be cached sets the header itself.
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    const failure = context.get('failure')
    const ms = Math.round((performance.now() - started) * 100) / 100
    const failed = status >= 500 && failure?.foreign !== true
    log[failed ? 'error' : 'info'](
      'request',
      {
        method: context.req.method,
        path: context.get('loggedPath') ?? context.req.path,
        route: context.get('route'),
        status,
        ms,
        ip: context.get('ip'),
        actor: context.get('actor') && describeActor(context.get('actor')),
        ...(failure !== undefined && { failed: failure.message, code: failure.code }),
        ...(failure?.cause !== undefined && status >= 500 && { error: failure.cause }),
      },
      {
        by: [['function'], ['function', 'route']],
        of: {
          RequestLatency: [ms, 'Milliseconds'],
          RequestFailures: [failed ? 1 : 0, 'Count'],
          ForeignFailures: [failure?.foreign === true ? 1 : undefined, 'Count'],
        },
      },
    )
  }
}

function chain<S>(route: Route<S>, options: AppOptions<S>): [MiddlewareHandler<Env>] {
  const steps: MiddlewareHandler<Env>[] = [
    async (context, next) => {
      context.set('errorForm', errorFormOf(route, context.req.raw))
      context.set('route', route.name)
      context.set('loggedPath', route.loggedPath?.(context.req.path))
      await next()
    },
    limit(route, options),
    ...(route.passesOn === true ? [] : [rejectLargeBody(route)]),
    async (context, next) => {
      const limits = context.get('limits')
      const actor = await identifyCaller(route, context, options).catch(
        async (refusal: unknown) => {
          await limits.refuse(refusal)
          throw refusal
        },
      )
      await limits.admit(actor)
      context.set('actor', actor)
      await next()
    },
    ...(validators(route as Route<never>, (context: Context<Env>) =>
      route.beforeFields?.(servicesFor(options, originOf(context))),
    ) as MiddlewareHandler<Env>[]),
    (context) => respond(route, context, options),
  ]
  // The type of Hono's `on` does not allow a list of unknown length, although the function does.
  return steps as unknown as [MiddlewareHandler<Env>]
}

async function identifyCaller<S>(
  route: Route<S>,
  context: Context<Env>,
  { identity = {}, settings, surface }: AppOptions<S>,
): Promise<Actor> {
  if (surface === 'web' && route.crossSite !== true)
    await checkCsrf(context, settings.WEB_URL ?? '')
  const actor = await checkGuard(route.guard, context, {
    identity,
    internalKey: settings.INTERNAL_API_KEY,
    originSecret: settings.ORIGIN_SECRET,
  })
  checkScope(actor, route)
  return actor
}

function limit<S>(
  route: Route<S>,
  { surface, table, settings }: AppOptions<S>,
): MiddlewareHandler<Env> {
  const off = settings.RATE_LIMITS === 'off' && settings.deployed !== true
  return async (context, next) => {
    const limits = new RequestLimits({
      surface,
      route,
      ip: context.get('ip'),
      showsCredential: bearer(context) !== undefined || sessionCookies(context.req.raw).length > 0,
      table: off ? undefined : table,
    })
    context.set('limits', limits)
    await next()
    await limits.fail(context.error).catch((refusal: unknown) => {
      context.res = failed(refusal, context)
    })
    for (const [name, value] of Object.entries(limits.headers)) context.res.headers.set(name, value)
  }
}

async function respond<S>(
  route: Route<S>,
  context: Context<Env>,
  options: AppOptions<S>,
): Promise<Response> {
  const key = route.idempotent === true ? context.req.header('idempotency-key') : undefined
  if (key === undefined || options.table === undefined)
    return run(route, context, options, context.get('seed'))
  if (key.length === 0 || key.length > 255)
    throw new PlatformError('bad-request', 'Idempotency-Key must be 1 to 255 characters')
  const actor = await keyHolderOf(route, context, options)
  if (actor === undefined) return run(route, context, options, context.get('seed'))
  const claimed = await claim(options.table, {
    actor,
    key,
    request: `${route.method} ${context.req.path}\n${await bodyTextOf(route, context)}`,
    seed: context.get('seed'),
    lockMs: remainingMs(context),
    headers: route.replayed,
    log: context.get('log'),
  })
  if (claimed instanceof Response) return claimed
  const response = await run(route, context, options, claimed.seed).catch((thrown: unknown) =>
    failed(thrown, context),
  )
  await claimed.finish(response, context.get('failure')?.code)
  return response
}

/**
 * Returns the owner of an idempotency key, since two callers may choose the same key. Without a sign-in the owner is
 * the payer; for a request without a payment, nothing is stored.
 */
async function keyHolderOf<S>(
  route: Route<S>,
  context: Context<Env>,
  options: AppOptions<S>,
): Promise<string | undefined> {
  const actor = describeActor(context.get('actor'))
  if (context.get('actor').type !== 'public' || route.payer === undefined) return actor
  const { body } = validated(context, route as Route<never>)
  const services = servicesFor(options, originOf(context))
  const payer = await route.payer(body as never, { ...services, request: context.req.raw })
  return payer && `payer:${payer}`
}

/** Returns the remaining run time of the request in milliseconds, from Lambda's context. */
function remainingMs(context: Context<Env>): number {
  const { lambdaContext } = (context.env ?? {}) as {
    lambdaContext?: { getRemainingTimeInMillis(): number }
  }
  return lambdaContext?.getRemainingTimeInMillis() ?? longestMs
}

function originOf(context: Context<Env>): Origin {
  return {
    requestId: context.get('requestId'),
    askedBy: describeActor(context.get('actor')),
    address: context.get('ip'),
  }
}

function servicesFor<S>({ services }: AppOptions<S>, origin: Origin): S {
  return isMade(services) ? services(origin) : services
}

function isMade<S>(services: AppOptions<S>['services']): services is (origin: Origin) => S {
  return typeof services === 'function'
}

async function run<S>(
  route: Route<S>,
  context: Context<Env>,
  options: AppOptions<S>,
  seed: string,
): Promise<Response> {
  const { table } = options
  const { actor, ip, log, requestId } = context.var
  const handle = async () => {
    const made = await handled(route, context, options, seed)
    const { type } = actor
    if (!(made instanceof Response) || (type !== 'user' && type !== 'agent')) return made
    return streamWhileAuthorized(made, {
      type,
      whoCalls: () => identifyCaller(route, context, options),
      log,
      requestId,
      // Clients of models treat a stream without a final event as a complete response.
      ...(options.surface === 'backend' && { errorForm: route.errorForm ?? 'platform' }),
    })
  }
  const answer =
    route.open === undefined || table === undefined
      ? await handle()
      : await withSlot({ table, limit: route.open, actor, ip, isForeign: route.passesOn }, handle)
  if (answer instanceof Response) return answer
  const { body, next } = answer instanceof Paged ? answer : { body: answer, next: undefined }
  if (next !== undefined) context.header(nextCursor, next)
  // Parsing removes fields that are not in the schema, so that no field is sent by accident.
  return context.json(route.response.parse(body), route.status ?? 200)
}

function handled<S>(route: Route<S>, context: Context<Env>, options: AppOptions<S>, seed: string) {
  return route.handle(
    {
      ...servicesFor(options, originOf(context)),
      actor: context.get('actor') as never,
      owner: ownerFor(context.get('actor')) as never,
      requestId: context.get('requestId'),
      log: context.get('log'),
      ip: context.get('ip'),
      request: context.req.raw,
      seed,
      trust: () => context.get('limits').trust(),
      countFor: (name) => context.get('limits').countFor(name),
      count: (limit) => context.get('limits').count(limit),
    },
    validated(context, route as Route<never>) as never,
  )
}
