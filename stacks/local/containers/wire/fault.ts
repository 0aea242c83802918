/** The error types of the ECS API that this engine answers with. */
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

/** A refusal that the caller sees as the ECS error of that type, HTTP 400. */
export class Fault extends Error {
  readonly type: FaultType
  /** Further members of the error's body, as ConflictException's `resourceIds`. */
  readonly members: Record<string, unknown>

  constructor(type: FaultType, message: string, members: Record<string, unknown> = {}) {
    super(message)
    this.name = type
    this.type = type
    this.members = members
  }
}
