import { findUser, type User } from '#shared/accounts/users/user.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { offerOf, type Purchase } from './catalogue.ts'
import { type PurchaseContext, sellingProvider } from './context.ts'
import { parseSnapshot } from './events/subscription-snapshot.ts'
import { storeSession, placeOrder } from './order.ts'
import type { PaymentProvider } from './provider.ts'

/** The user's current subscription. */
interface Current {
  id: string | null
  status: string
  customerId: string | null
}

/** The states of a subscription that the provider still bills. */
const running: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due'])

/**
 * Starts a purchase for the caller.
 * @returns the URL of the checkout page, or of the customer portal if the same kind of subscription is running already
 * @throws PlatformError 503 without the settings, also for storage that is not sold; 502 if the provider fails; 404 if
 * the user is deleted
 */
export async function buy(ctx: PurchaseContext, buys: Purchase): Promise<string> {
  const provider = sellingProvider(ctx)
  const user = await findUser(ctx.table, ctx.owner)
  if (user === undefined) throw notFound('User')
  const manager = await managerOf(provider, currentOf(user, buys))
  const portal =
    manager === undefined
      ? undefined
      : await provider.openPortal({ customerId: manager, returnUrl: `${ctx.webUrl}/dashboard` })
  if (portal !== undefined) return portal
  if (buys.kind === 'storage' && !ctx.sellsStorage)
    throw new PlatformError('unavailable', 'This deployment does not sell storage', {
      details: { missing: ['STORAGE_UPGRADES'] },
    })
  const order = await placeOrder(ctx.table, { userId: user.id, buys, seed: ctx.seed })
  const { id, url } = await provider.createCheckout({
    order,
    title: offerOf(buys).title,
    customerId: customerOf(user),
    successUrl: `${ctx.webUrl}/dashboard?checkout=success`,
    cancelUrl: `${ctx.webUrl}/dashboard?checkout=cancelled`,
  })
  await storeSession(ctx.table, order, id)
  return url
}

function currentOf({ subscription, storage }: User, { kind }: Purchase): Current | undefined {
  if (kind === 'plan') return subscription
  if (kind === 'storage' && storage) return { ...storage, id: storage.subscriptionId }
  return undefined
}

/** Returns the customer of the current subscription, or undefined if no subscription is running at the provider. */
async function managerOf(
  provider: PaymentProvider,
  current: Current | undefined,
): Promise<string | undefined> {
  if (current === undefined || !running.has(current.status)) return undefined
  if (current.customerId !== null) return current.customerId
  if (current.id === null) return undefined
  // A trusted caller may have granted it without a customer, or from another billing system.
  return parseSnapshot(await provider.findSubscription(current.id))?.customerId ?? undefined
}

/**
 * Returns the customer if the provider reported it. A customer from a trusted caller may belong to another billing
 * system.
 */
function customerOf({ subscription }: User): string | undefined {
  return subscription.orderId === undefined ? undefined : (subscription.customerId ?? undefined)
}
