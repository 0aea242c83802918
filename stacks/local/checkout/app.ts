import { createHash, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { html } from 'hono/html'
import * as z from 'zod'
import { stripeApi } from './api/routes.ts'
import { controls } from './control/routes.ts'
import type { Engine } from './engine.ts'
import { Fault } from './fault.ts'
import { checkoutPages } from './pages/checkout.ts'
import { page, style } from './pages/layout.ts'
import { portalPages } from './pages/portal.ts'

const longestBody = 1 << 20

/** Serves Stripe's API and the controls, which need the key, and the pages for browsers. */
export function checkoutApp(engine: Engine, secretKey: string): Hono {
  const app = new Hono()
  app.onError(failed)
  app.notFound((c) =>
    c.json(new Fault(`Unrecognized request URL (${c.req.method}: ${c.req.path}).`), 404),
  )
  app.use(strictHeaders, ownHostOnly, bodyLimit({ maxSize: longestBody, onError: tooLarge }))

  const keyOnly = bearer(secretKey)
  app.use('/v1/*', keyOnly).route('/v1', stripeApi(engine))
  app.use('/_control/*', keyOnly).route('/_control', controls(engine))

  app.get('/', (c) =>
    page(c, {
      title: 'Stand-in checkout',
      body: html`<p>
        It takes the place of a payment provider while PAYMENTS_SECRET_KEY is unset.
      </p>`,
    }),
  )
  app.get('/style.css', (c) => c.text(style, 200, { 'content-type': 'text/css; charset=utf-8' }))
  app.use('/c/*', ownFormsOnly).route('/c/pay', checkoutPages(engine))
  app.use('/p/*', ownFormsOnly).route('/p/session', portalPages(engine))
  return app
}

function failed(error: Error, c: Context): Response {
  if (error instanceof Fault) return Response.json({ error: error.error }, { status: error.status })
  if (error instanceof z.ZodError)
    return Response.json(
      { error: { type: 'invalid_request_error', message: z.prettifyError(error) } },
      { status: 400 },
    )
  process.emitWarning(error)
  return c.json({ error: { type: 'api_error', message: 'The stand-in checkout failed.' } }, 500)
}

const tooLarge = () => {
  throw new Fault('The request is too large.', { status: 413 })
}

const strictHeaders = createMiddleware(async (c, next) => {
  await next()
  c.header('cache-control', 'no-store')
  c.header('x-content-type-options', 'nosniff')
  // With a stricter policy, browsers would send `Origin: null` with forms from this origin.
  c.header('referrer-policy', 'same-origin')
  c.header('cross-origin-opener-policy', 'same-origin')
})

/** Rejects other host names, so that a page in a browser cannot reach the stand-in by DNS rebinding. */
const ownHostOnly = createMiddleware(async (c, next) => {
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(c.req.header('host') ?? ''))
    throw new Fault('Not this host.', { status: 403 })
  await next()
})

/** Rejects requests from pages of other sites. A request with neither header does not come from a browser. */
const ownFormsOnly = createMiddleware(async (c, next) => {
  const { origin, 'sec-fetch-site': site = 'none', host } = c.req.header()
  const isOwn = origin === undefined || origin === `http://${host}`
  if (c.req.method !== 'GET' && !(isOwn && ['same-origin', 'none'].includes(site)))
    throw new Fault('This form belongs to another site.', { status: 403 })
  await next()
})

function bearer(secretKey: string) {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${secretKey}`)
  return createMiddleware(async (c, next) => {
    if (!timingSafeEqual(digest(c.req.header('authorization') ?? ''), expected))
      throw new Fault('Invalid API Key provided.', { status: 401 })
    await next()
  })
}
