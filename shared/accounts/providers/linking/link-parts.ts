import { audit } from '#shared/platform/identity/audit.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Arrival, LinkContext } from './arrival.ts'
import { linkRows, userLinkRows } from './rows.ts'
import { newLink } from './tokens.ts'

/**
 * Returns the parts of a transaction that links a provider's person to a user. The part `person` is refused if the
 * person is already linked to a user.
 */
export async function linkParts(ctx: LinkContext, input: Arrival & { userId: string }) {
  const { userId, provider, profile } = input
  const { subject } = profile
  return {
    person: {
      put: linkRows.put({ provider, subject }, { userId }),
      if: 'attribute_not_exists(pk)',
    },
    link: {
      put: userLinkRows.put({ userId, provider, subject }, await newLink(ctx, input)),
    },
    linkAudit: await audit(ctx, 'provider.linked', {
      userId,
      target: provider,
      after: { provider, subject },
    }),
  } satisfies Parts
}
