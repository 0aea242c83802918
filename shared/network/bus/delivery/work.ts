import { counter } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { deliveriesDue, messageRows } from '../rows.ts'
import { type DeliveryAttempt, leaseMs } from './outstanding.ts'
import { deliveries } from './topic.ts'

/** A message, with its outstanding work if any. */
type Pending = Pick<DeliveryAttempt, 'messageId'> & { open?: DeliveryAttempt['open'] | undefined }

/** The attributes that are read. The texts of messages, which are most of a row, are omitted. */
const select = ['pk', 'sk', 'messageId', 'from', 'to', 'acceptedAt', 'gsi1sk'].concat(
  ['what', 'userId', 'attempts'].map((name) => `open.${name}`),
)

/** The attempts of a message's outstanding work. Interrupted attempts are counted too. */
export const deliveryWork = workItems({
  rows: messageRows,
  key: ({ messageId }: Pending) => messageRows.key({ messageId }),
  id: ({ messageId }) => messageId,
  due: deliveriesDue,
  fence: counter('open.attempts', ({ open }: Pending) => open?.attempts ?? 0),
  topic: deliveries,
  message: ({ messageId, open }) => open && { messageId, attempt: open.attempts + 1 },
  leaseMs,
  lostMs: 30_000,
  select,
})
