import type { User } from '#shared/accounts/users/user.ts'
import type { WebhookEvent } from '#shared/signals/outbound-webhooks/emit.ts'

interface Changed {
  plan?: string
  subscription?: Pick<User['subscription'], 'id' | 'status'>
}

/** Returns the webhook events for a change of a user's plan or of its state, and none for any other change. */
export function subscriptionEvents({ plan, subscription }: Changed): WebhookEvent[] {
  if (plan === undefined || subscription === undefined) return []
  const { id: subscriptionId, status } = subscription
  return [{ type: 'subscription.changed', data: { plan, subscriptionId, status } }]
}
