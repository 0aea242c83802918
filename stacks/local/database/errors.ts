import type { Failure } from './dynalite.ts'
import type { AttributeValue, Item } from './values.ts'

const namespaces: Record<string, string> = {
  ValidationException: 'com.amazon.coral.validate',
  SerializationException: 'com.amazon.coral.service',
  UnknownOperationException: 'com.amazon.coral.service',
  MissingAuthenticationTokenException: 'com.amazon.coral.service',
  UnrecognizedClientException: 'com.amazon.coral.service',
}

/** An error for the caller, with DynamoDB's name and wire body. */
export class DatabaseError extends Error {
  readonly details: Readonly<Record<string, unknown>>

  constructor(name: string, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.name = name
    this.details = details
  }

  /** The JSON body of the 400 response. The SDK selects its error class by the part of `__type` after `#`. */
  get body(): Record<string, unknown> {
    const namespace = namespaces[this.name] ?? 'com.amazonaws.dynamodb.v20120810'
    return { __type: `${namespace}#${this.name}`, message: this.message, ...this.details }
  }
}

export function validationError(message: string): DatabaseError {
  return new DatabaseError('ValidationException', message)
}

/** @param item the item that failed the check, if the request asks for it */
export function conditionFailed(item: Item | undefined): DatabaseError {
  const message = 'The conditional request failed'
  return new DatabaseError('ConditionalCheckFailedException', message, item && { Item: item })
}

export interface CancellationReason {
  Code: 'None' | 'ConditionalCheckFailed' | 'ValidationError'
  Message?: string
  Item?: Record<string, AttributeValue>
}

/** @param reasons one for each action of the transaction, in order */
export function transactionCanceled(reasons: CancellationReason[]): DatabaseError {
  const codes = reasons.map((reason) => reason.Code).join(', ')
  return new DatabaseError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  )
}

/** Throws the failure that a dynalite check returned, if there is one. */
export function reject(failure: Failure | null | undefined): void {
  if (failure) throw fromFailure(failure)
}

export function fromFailure(failure: Failure): DatabaseError {
  const name = failure.body.__type.replace(/^.*#/, '')
  return new DatabaseError(name, failure.body.message ?? failure.body.Message ?? '')
}
