import { findUser, type User } from '../accounts/user.ts'
import type { UserContext } from '../identity/context.ts'
import { notFound } from '../platform/errors.ts'
import { offerOf, type Purchase } from './catalogue.ts'
import { type PaymentServices, sellingProvider } from './context.ts'
import { wordOf } from './events/word.ts'
import { noteSession, placeOrder } from './order.ts'
import type { PaymentProvider } from './provider.ts'

type BuyContext = Pick<UserContext, 'table' | 'actor' | 'seed'> & PaymentServices

/** What a subscription of the provider gives. */
interface Held {
  id: string | null
  status: string
  customerId: string | null
}

/** The states in which a subscription goes on at the provider. */
const running: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due'])

/**
 * Begins a purchase of the caller's.
 * @returns where they pay; where they change what they have, if the same kind of subscription is running already
 * @throws PlatformError 503 without the settings, 502 where the provider fails, 404 for a user who is gone
 */
export async function buy(ctx: BuyContext, buys: Purchase): Promise<string> {
  const provider = sellingProvider(ctx)
  const user = await findUser(ctx.table, ctx.actor.user.id)
  if (user === undefined) throw notFound('User')
  const manager = await managerOf(provider, heldOf(user, buys))
  const portal =
    manager === undefined
      ? undefined
      : await provider.openPortal({ customerId: manager, returnUrl: `${ctx.webUrl}/dashboard` })
  if (portal !== undefined) return portal
  const order = await placeOrder(ctx.table, { userId: user.id, buys, seed: ctx.seed })
  const { id, url } = await provider.createCheckout({
    order,
    title: offerOf(buys).title,
    customerId: customerOf(user),
    successUrl: `${ctx.webUrl}/dashboard?checkout=success`,
    cancelUrl: `${ctx.webUrl}/dashboard?checkout=cancelled`,
  })
  await noteSession(ctx.table, order, id)
  return url
}

function heldOf({ subscription, storage }: User, { kind }: Purchase): Held | undefined {
  if (kind === 'plan') return subscription
  if (kind === 'storage' && storage) return { ...storage, id: storage.subscriptionId }
  return undefined
}

/** The customer who can change what is held; undefined where nothing goes on at the provider. */
async function managerOf(
  provider: PaymentProvider,
  held: Held | undefined,
): Promise<string | undefined> {
  if (held === undefined || !running.has(held.status)) return undefined
  if (held.customerId !== null) return held.customerId
  if (held.id === null) return undefined
  // A trusted caller may have given it without its customer, or it is of another place than this provider.
  return wordOf(await provider.findSubscription(held.id))?.customerId ?? undefined
}

/** Whom the provider itself has named; a trusted caller's word may be of another place. */
function customerOf({ subscription }: User): string | undefined {
  return subscription.orderId === undefined ? undefined : (subscription.customerId ?? undefined)
}
