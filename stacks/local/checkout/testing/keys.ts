export const secretKey = 'sk_test_of_the_tests'
export const webhookSecret = 'whsec_of_the_tests'
