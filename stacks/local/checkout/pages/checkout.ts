import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Engine } from '../engine.ts'
import { statusOf, totalOf } from '../objects/session.ts'
import type { Line, SessionRecord } from '../store/records.ts'
import { pay } from '../verbs/pay.ts'
import { money, page } from './layout.ts'

/** The page of a checkout session, with a card that always succeeds and one that always fails. */
export function checkoutPages(engine: Engine): Hono {
  const pages = new Hono()

  const find = (c: Context) => engine.sessions.find(c.req.param('id') ?? '')

  pages.get('/:id', (c) => {
    const session = find(c)
    if (session === undefined) return missing(c)
    const status = statusOf(engine, session)
    return status === 'open' ? offer(c, session) : over(c, session, status)
  })

  pages.post('/:id/pay', async (c) => {
    const session = find(c)
    if (session === undefined) return missing(c)
    if (statusOf(engine, session) === 'expired') return over(c, session, 'expired')
    const { event } = pay(engine, session)
    // Wait for the webhook, as Stripe does, so that the user finds their purchase after the redirect.
    if (event !== undefined) await engine.events.firstTry(event)
    const { id, successUrl } = session
    return c.redirect(successUrl.replaceAll('{CHECKOUT_SESSION_ID}', id), 303)
  })

  // A declined card leaves the session open, as at Stripe, so it can be paid later.
  pages.post('/:id/decline', (c) => {
    const session = find(c)
    if (session === undefined) return missing(c)
    return c.redirect(session.cancelUrl ?? new URL(session.successUrl).origin, 303)
  })

  return pages
}

function offer(c: Context, session: SessionRecord) {
  const { id, lines, currency, trialDays, successUrl, cancelUrl } = session
  const total = money(totalOf(session), currency)
  return page(c, {
    title: 'Checkout',
    leadsTo: [successUrl, cancelUrl],
    body: html`
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Price</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map((line) => row(line, currency))}
        </tbody>
      </table>
      <p>${trialDays === null ? `Due today: ${total}` : `${trialDays} days free, then ${total}`}</p>
      <form method="post" action="/c/pay/${id}/pay"><button>Pay</button></form>
      <form method="post" action="/c/pay/${id}/decline"><button>Decline</button></form>
    `,
  })
}

function row({ name, amount, quantity, interval }: Line, currency: string) {
  const price = money(amount * quantity, currency)
  return html`<tr>
    <td>${quantity === 1 ? name : `${quantity} × ${name}`}</td>
    <td>${interval === null ? price : `${price} a ${interval}`}</td>
  </tr>`
}

function over(c: Context, { successUrl, cancelUrl }: SessionRecord, status: string) {
  const paid = status === 'complete'
  const back = paid ? successUrl : (cancelUrl ?? new URL(successUrl).origin)
  return page(c, {
    title: paid ? 'This checkout is paid' : 'This checkout has expired',
    status: paid ? 200 : 409,
    body: html`<p><a href="${back}">Go back</a></p>`,
  })
}

function missing(c: Context) {
  return page(c, {
    title: 'There is no such checkout',
    status: 404,
    body: html`<p>Start again at the page that led here.</p>`,
  })
}
