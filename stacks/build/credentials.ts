/**
 * Stands in for the credential chain of the AWS SDK in every function's bundle. Lambda and the local stack give a
 * function its credentials in the environment; the chain's other sources (sign-on, profiles, assumed roles, instance
 * metadata) are a quarter of the bundle and of the import time.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'
