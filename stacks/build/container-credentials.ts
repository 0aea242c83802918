/**
 * Stands in for the credential chain of the AWS SDK where a function runs as a service: ECS hands a task's credentials
 * over by an address on the task itself. A service that is tried on one machine has them in the environment.
 */
import { fromEnv } from '@aws-sdk/credential-provider-env'
import { fromHttp } from '@aws-sdk/credential-provider-http'

type Given = NonNullable<Parameters<typeof fromHttp>[0]>

export function defaultProvider(given: Given = {}): ReturnType<typeof fromHttp> {
  return process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI === undefined
    ? fromEnv()
    : fromHttp(given)
}
