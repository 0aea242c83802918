/**
 * Replaces the credential chain of the AWS SDK in every function's bundle. Lambda and the local stack pass credentials in
 * the environment. The chain's other sources (SSO, profiles, assumed roles, instance metadata) would be a quarter of the
 * bundle and of the import time.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'
