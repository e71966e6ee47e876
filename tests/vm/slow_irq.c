// SPDX-License-Identifier: GPL-2.0
/*
 * slow_irq - an interrupt with a handler that runs for US microseconds
 *
 *   echo US >/sys/module/slow_irq/parameters/us
 *
 * raises it once, on the CPU of the writer, and returns when the handler has ended.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/module.h>

static unsigned int us;
static int line;

static irqreturn_t slow_handler(int irq, void *arg)
{
	for (unsigned int left = us; left; left -= min(left, 1000u))
		udelay(min(left, 1000u));
	return IRQ_HANDLED;
}

/* In hard interrupt context, as a controller with many lines calls their handlers. */
static void raise_line(struct irq_work *work)
{
	generic_handle_irq(line);
}

static struct irq_work work = IRQ_WORK_INIT_HARD(raise_line);

static int set_us(const char *value, const struct kernel_param *param)
{
	int ret = param_set_uint(value, param);

	if (ret || !line)
		return ret;
	irq_work_queue(&work);
	irq_work_sync(&work);
	return 0;
}

static const struct kernel_param_ops us_ops = { .set = set_us, .get = param_get_uint };

module_param_cb(us, &us_ops, &us, 0600);

static int __init slow_irq_init(void)
{
	int ret, irq = irq_alloc_desc(NUMA_NO_NODE);

	if (irq < 0)
		return irq;
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	ret = request_irq(irq, slow_handler, IRQF_NO_THREAD, "slow_irq", &work);
	if (ret)
		irq_free_desc(irq);
	else
		line = irq;
	return ret;
}

static void __exit slow_irq_exit(void)
{
	irq_work_sync(&work);
	free_irq(line, &work);
	irq_free_desc(line);
}

module_init(slow_irq_init);
module_exit(slow_irq_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("An interrupt that takes as long as is asked for");
