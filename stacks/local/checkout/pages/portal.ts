import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import * as z from 'zod'
import type { Engine } from '../engine.ts'
import type { PortalRecord, SubscriptionRecord } from '../store/records.ts'
import { cancel, changePlan, failPayment, renew } from '../verbs/change-subscription.ts'
import { money, page } from './layout.ts'

const plan = z.object({
  name: z.string().trim().min(1).max(250),
  price: z.string().regex(/^\d{1,7}(\.\d\d)?$/),
})

/** The billing portal: the subscriptions of a customer and their actions. */
export function portalPages(engine: Engine): Hono {
  const pages = new Hono()

  /** Returns the subscriptions of a portal's customer that have not ended. */
  const subscriptionsOf = ({ customer }: PortalRecord) =>
    engine.subscriptions
      .list()
      .filter((one) => one.customer === customer && one.status !== 'canceled')

  const verbs: Record<string, (id: string, c: Context) => Promise<unknown> | unknown> = {
    cancel: (id) => cancel(engine, id),
    fail: (id) => failPayment(engine, id),
    renew: (id) => renew(engine, id),
    change: async (id, c) => {
      const { name, price } = plan.parse(await c.req.parseBody())
      changePlan(engine, id, { name, amount: Math.round(Number(price) * 100) })
    },
  }

  pages.get('/:portal', (c) => {
    const portal = engine.portals.find(c.req.param('portal'))
    return portal === undefined ? missing(c) : overview(c, portal, subscriptionsOf(portal))
  })

  pages.post('/:portal/:subscription/:verb', async (c) => {
    const portal = engine.portals.find(c.req.param('portal'))
    const id = c.req.param('subscription')
    const act = verbs[c.req.param('verb')]
    if (portal === undefined || act === undefined) return missing(c)
    // Ignores a subscription of another customer, and one that was ended in another tab.
    if (subscriptionsOf(portal).some((one) => one.id === id)) await act(id, c)
    return c.redirect(`/p/session/${portal.id}`, 303)
  })

  return pages
}

const words = { trialing: 'trialing', active: 'active', past_due: 'past due', canceled: 'canceled' }

function overview(c: Context, portal: PortalRecord, subscriptions: SubscriptionRecord[]) {
  return page(c, {
    title: 'Your subscriptions',
    body: html`
      ${subscriptions.length === 0 ? html`<p>You have no active subscriptions.</p>` : ''}
      ${subscriptions.map((one) => section(portal, one))}
      <p><a href="${portal.returnUrl}">Go back</a></p>
    `,
  })
}

function section({ id: portal }: PortalRecord, subscription: SubscriptionRecord) {
  const { id, item, currency, status, periodEnd } = subscription
  const price = money(item.amount, currency)
  const action = (verb: string) => `/p/session/${portal}/${id}/${verb}`
  const until = new Date(periodEnd * 1000).toISOString().slice(0, 10)
  return html`
    <section>
      <h2>${item.name}</h2>
      <p>${price} a ${item.interval}, ${words[status]}, until ${until}</p>
      <form method="post" action="${action('change')}">
        <label>Plan <input name="name" value="${item.name}" required /></label>
        <label
          >Price
          <input
            name="price"
            inputmode="decimal"
            pattern="[0-9]{1,7}(\\.[0-9]{2})?"
            value="${(item.amount / 100).toFixed(2)}"
            required
        /></label>
        <button>Change plan</button>
      </form>
      <form method="post" action="${action('fail')}"><button>Let the card fail</button></form>
      <form method="post" action="${action('renew')}"><button>Pay the next period</button></form>
      <form method="post" action="${action('cancel')}"><button>Cancel</button></form>
    </section>
  `
}

function missing(c: Context) {
  return page(c, {
    title: 'There is no such page',
    status: 404,
    body: html`<p>Start again at the page that led here.</p>`,
  })
}
