/** The access key that the tests' stacks and engines accept, so that a test can call them too. */
export const testAccessKey = 'local'

/**
 * Sets the credentials that this process signs requests to engines with. An engine that runs alone accepts any
 * credentials.
 */
export function useLocalCredentials(): void {
  process.env.AWS_REGION ??= 'us-east-1'
  process.env.AWS_ACCESS_KEY_ID ??= testAccessKey
  process.env.AWS_SECRET_ACCESS_KEY ??= testAccessKey
}
