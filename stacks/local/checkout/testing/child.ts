/** Serves the folder named by the first argument and delivers to the second; prints its URL, then waits to be killed. */
import { startCheckout } from '../start.ts'
import { secretKey, webhookSecret } from './keys.ts'

const [dir = '', receiver = ''] = process.argv.slice(2)
const checkout = await startCheckout({ dir, secretKey, webhookSecret })
checkout.deliverTo(receiver)
process.stdout.write(checkout.url)
