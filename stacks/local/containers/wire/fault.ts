/** The error types of the ECS API that this engine returns. */
export type FaultType =
  | 'ClientException'
  | 'ClusterNotFoundException'
  | 'ConflictException'
  | 'InvalidParameterException'
  | 'MissingAuthenticationTokenException'
  | 'ResourceNotFoundException'
  | 'SerializationException'
  | 'ThrottlingException'
  | 'UnknownOperationException'
  | 'UnrecognizedClientException'

/** An error for the caller: the ECS error of that type, HTTP 400. */
export class Fault extends Error {
  readonly type: FaultType
  /** Additional members of the error body, such as ConflictException's `resourceIds`. */
  readonly members: Record<string, unknown>

  constructor(type: FaultType, message: string, members: Record<string, unknown> = {}) {
    super(message)
    this.name = type
    this.type = type
    this.members = members
  }
}
