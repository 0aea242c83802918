export interface ConsolePage {
  path: string
  /** Its only h1. */
  h1: string
  /** A text that appears once the page shows its main content. */
  shows: string
  /** The path and the text in the test of failing requests, if they differ there. */
  failing?: Partial<Pick<ConsolePage, 'path' | 'shows'>>
}

export const pagesOutside: readonly ConsolePage[] = [
  { path: '/login?error=IdpNoEmail', h1: 'Sign in', shows: 'no verified email' },
  { path: '/register', h1: 'Create your account', shows: 'Already have an account?' },
  { path: '/forgot-password', h1: 'Reset your password', shows: 'Send the link' },
  { path: '/reset-password?token=x', h1: 'Choose a new password', shows: 'Set the password' },
  { path: '/verify-email?token=x', h1: 'Verify your email', shows: 'Verify' },
]

/** Returns the pages of a user with an agent of this name. */
export const pagesInside = (id: string, name: string): readonly ConsolePage[] => [
  { path: '/dashboard', h1: 'Hello, ', shows: name },
  { path: '/agents', h1: 'Agents', shows: name },
  { path: '/agents/new', h1: 'New agent', shows: 'Create agent' },
  { path: `/agents/${id}`, h1: name, shows: 'Incidents' },
  { path: `/agents/${id}/chat`, h1: name, shows: 'No messages yet' },
  { path: `/agents/${id}/logs`, h1: name, shows: 'Download' },
  { path: `/agents/${id}/files`, h1: name, shows: 'No files yet' },
  { path: `/agents/${id}/workspace`, h1: name, shows: 'Add note' },
  { path: `/agents/${id}/schedules`, h1: name, shows: 'No schedules yet' },
  { path: `/agents/${id}/policy`, h1: name, shows: 'Allow everything;' },
  { path: `/agents/${id}/payments`, h1: name, shows: 'No payments in' },
  { path: `/agents/${id}/channels`, h1: name, shows: 'No channels yet' },
  { path: `/agents/${id}/connections`, h1: name, shows: 'No connections yet' },
  { path: `/agents/${id}/settings`, h1: name, shows: 'System prompt' },
  { path: '/approvals', h1: 'Approvals', shows: 'No approvals yet' },
  { path: '/automation', h1: 'Automation', shows: 'No schedules yet' },
  { path: '/mission-control', h1: 'Mission control', shows: 'No turns yet' },
  { path: '/usage', h1: 'Usage and cost', shows: 'By key' },
  { path: '/keys', h1: 'Keys', shows: 'No keys yet' },
  {
    path: '/device',
    h1: 'Connect a device',
    shows: 'Continue',
    failing: { path: '/device?user_code=ABCD-EFGH', shows: 'Unknown or expired code' },
  },
  {
    path: '/connect',
    h1: 'Connect a program',
    shows: 'Start again',
    failing: { path: '/connect?request=none' },
  },
  { path: '/billing', h1: 'Plan and billing', shows: 'Choose Network' },
  {
    path: '/account',
    h1: 'Account',
    shows: 'Change password',
    failing: { shows: 'this device' },
  },
]
