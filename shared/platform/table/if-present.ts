import { epochSeconds } from '../times.ts'
import type { Condition } from './port.ts'

/** A condition with an expression. */
type Given = Condition & { if: string }

/**
 * Returns the condition that the item does not exist or has expired. DynamoDB removes expired items days late, and
 * conditions apply to them until then.
 * @param now epoch milliseconds
 */
export function absent(now = Date.now()): Given {
  return {
    if: 'attribute_not_exists(pk) OR #expiresAt <= :nowSeconds',
    values: { nowSeconds: epochSeconds(now) },
  }
}

/** Returns the condition that the item exists and has not expired. @param now epoch milliseconds */
export function ifPresent(now = Date.now()): Given {
  return {
    if: 'attribute_exists(pk) AND (attribute_not_exists(#expiresAt) OR #expiresAt > :nowSeconds)',
    values: { nowSeconds: epochSeconds(now) },
  }
}
