package history

import "jobgait/analysis/summary"

// gpus writes one row for each GPU of a run that was read.
func (w *writer) gpus(runID int64, s summary.Summary) {
	for _, g := range s.GPUs {
		node := w.node(s, g.Node)
		var idle *float64
		if g.Cycle != nil {
			idle = &g.Cycle.IdleShare
		}
		w.exec(`INSERT OR REPLACE INTO internal_run_gpu (run_id, node_id, gpu, board, uuid, read_s, energy_j, power_w,
				active_s, slowed_s, heat_s, sm, occupancy, tensor, dram, mem_peak, idle)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, node, g.Index, text(g.Name, maxName), text(g.UUID, maxName), positive(g.ReadS), g.EnergyJ, g.PowerW,
			g.ActiveS, g.SlowedS, g.HeatSlowedS, scaledInt(g.SM, 1e4), scaledInt(g.Occupancy, 1e4), scaledInt(g.Tensor, 1e4),
			scaledInt(g.DRAM, 1e4),
			g.MemoryPeakBytes, scaledInt(idle, 1e4))
	}
}
