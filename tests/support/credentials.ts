/** The local engines take any credentials, but the SDK does not start without. */
export function useLocalCredentials(): void {
  process.env.AWS_REGION ??= 'us-east-1'
  process.env.AWS_ACCESS_KEY_ID ??= 'local'
  process.env.AWS_SECRET_ACCESS_KEY ??= 'local'
}
