import type { Condition } from './port.ts'

/** A condition whose expression is there. */
type Given = Condition & { if: string }

/**
 * No item is there, or one whose time to live is over: DynamoDB sweeps expired items days late, and its conditions see
 * them until then.
 * @param now epoch milliseconds
 */
export function absent(now = Date.now()): Given {
  return {
    if: 'attribute_not_exists(pk) OR #expiresAt <= :nowSeconds',
    values: { nowSeconds: Math.floor(now / 1000) },
  }
}

/** An item is there whose time to live is not over, if it has one. @param now epoch milliseconds */
export function present(now = Date.now()): Given {
  return {
    if: 'attribute_exists(pk) AND (attribute_not_exists(#expiresAt) OR #expiresAt > :nowSeconds)',
    values: { nowSeconds: Math.floor(now / 1000) },
  }
}
