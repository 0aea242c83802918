/**
 * Replaces the credential chain of the AWS SDK for functions that run as a service. On ECS, a task gets its credentials
 * from a local address. A service that runs on one machine gets them from the environment.
 */
import { fromEnv } from '@aws-sdk/credential-provider-env'
import { fromHttp } from '@aws-sdk/credential-provider-http'

type Options = NonNullable<Parameters<typeof fromHttp>[0]>

export function defaultProvider(options: Options = {}): ReturnType<typeof fromHttp> {
  return process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI === undefined
    ? fromEnv()
    : fromHttp(options)
}
