import { type Engine, secondsNow } from '../engine.ts'
import { noSuch } from '../fault.ts'
import { newSecretId } from '../ids.ts'
import type { PortalRecord } from '../store/records.ts'

/** Creates a page where a customer can change their subscriptions. @throws Fault if the customer does not exist */
export function openPortal(
  engine: Engine,
  { customer, returnUrl }: { customer: string; returnUrl: string },
): PortalRecord {
  if (engine.customers.find(customer) === undefined) throw noSuch('customer', customer, 'customer')
  const created = secondsNow(engine)
  return engine.portals.put({ id: newSecretId('bps_test'), created, customer, returnUrl })
}
